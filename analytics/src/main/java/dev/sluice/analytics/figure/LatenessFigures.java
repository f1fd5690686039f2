package dev.sluice.analytics.figure;

import static dev.sluice.analytics.figure.Figure.Definition.Unit.MILLISECONDS;

import dev.sluice.analytics.fold.RunRows;
import dev.sluice.analytics.row.Jobs.JobRow;
import dev.sluice.analytics.row.Summary;
import dev.sluice.analytics.row.Verdict;
import dev.sluice.analytics.statistic.Bounds;
import dev.sluice.analytics.statistic.LongBag;
import dev.sluice.analytics.statistic.NearestRank;
import dev.sluice.contract.experiment.Experiment.JobClass;
import dev.sluice.contract.experiment.Experiment.Scenario;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.OptionalDouble;
import java.util.stream.DoubleStream;

/**
 * Lateness of the generator. lateness_…_ms = send call − intended arrival of the measured jobs. Its
 * limit is max(2 ms, 5 % of the smallest promise); the promise of a class that gives a multiple of
 * the isolated time is the smallest to any of its measured jobs. A p99 above the limit means {@code
 * saturated}: the run is not comparable. Above ten times the limit the run has failed. Under the
 * scenario offline no generator can send all jobs at their time, and nothing is judged.
 * append_delay_…_ms = broker's append − send call; the append has 1 ms resolution, so the delay may
 * be down to −1 ms.
 */
final class LatenessFigures implements Figure {
  private static final double LIMIT_MS_MIN = 2;
  private static final double LIMIT_SHARE_OF_SLO = 0.05;
  private static final double FAILS_ABOVE_TIMES = 10;

  @Override
  public List<Definition> numbers() {
    return List.of(
        Definition.of("lateness_p50_ms", MILLISECONDS),
        Definition.of("lateness_p99_ms", MILLISECONDS).fewBelow(NearestRank.COUNT_FOR_P99),
        Definition.of("lateness_max_ms", MILLISECONDS),
        Definition.of("lateness_limit_ms", MILLISECONDS),
        Definition.of("append_delay_p50_ms", MILLISECONDS).within(Bounds.NONE),
        Definition.of("append_delay_p99_ms", MILLISECONDS)
            .within(Bounds.NONE)
            .fewBelow(NearestRank.COUNT_FOR_P99),
        Definition.of("append_delay_max_ms", MILLISECONDS).within(Bounds.NONE));
  }

  @Override
  public void addTo(Summary summary, RunRows run) {
    var latenessNs = new LongBag();
    var appendDelayNs = new LongBag();
    for (JobRow job : run.measured()) {
      latenessNs.add(job.latenessNs());
      appendDelayNs.add(job.appendedAtNs() - job.sentAtNs());
    }
    double limitMs =
        Math.max(LIMIT_MS_MIN, LIMIT_SHARE_OF_SLO * sloMsMin(run).orElse(LIMIT_MS_MIN));
    double p99Ms = addPercentiles(summary, "lateness", latenessNs.sorted());
    if (run.context().experiment().load().scenario() == Scenario.OFFLINE) {
      summary.put("lateness_limit_ms", null);
      summary.put("lateness_verdict", "not judged: all jobs are meant for time zero");
    } else {
      summary.put("lateness_limit_ms", limitMs);
      judge(summary, p99Ms, limitMs);
    }
    addPercentiles(summary, "append_delay", appendDelayNs.sorted());
  }

  private static OptionalDouble sloMsMin(RunRows run) {
    var classes = run.context().experiment().jobs().classes();
    DoubleStream promised =
        classes.stream().map(JobClass::sloMs).filter(Objects::nonNull).mapToDouble(ms -> ms);
    DoubleStream scaled =
        classes.stream()
            .filter(jobClass -> jobClass.sloScale() != null)
            .map(jobClass -> run.promisesMs(jobClass.name()))
            .flatMapToDouble(Arrays::stream);
    return DoubleStream.concat(promised, scaled).min();
  }

  private static void judge(Summary summary, double p99Ms, double limitMs) {
    if (p99Ms > FAILS_ABOVE_TIMES * limitMs) {
      summary.worsen(
          Verdict.FAILED,
          "the generator was late beyond any use (p99 above "
              + Math.round(FAILS_ABOVE_TIMES)
              + " times the limit)");
    }
    if (p99Ms > limitMs) {
      summary.put("lateness_verdict", "generator saturated, not comparable");
      summary.notComparable(
          String.format(
              Locale.ROOT,
              "generator saturated (p99 lateness %.1f ms, limit %.1f ms)",
              p99Ms,
              limitMs));
    } else {
      summary.put("lateness_verdict", "ok");
    }
  }

  /** Adds percentiles and returns the 99th. */
  private static double addPercentiles(Summary summary, String name, long[] sortedNs) {
    double p99Ms = NearestRank.percentile(sortedNs, 99) / 1e6;
    summary.put(name + "_p50_ms", NearestRank.percentile(sortedNs, 50) / 1e6);
    summary.put(name + "_p99_ms", p99Ms);
    summary.put(name + "_max_ms", NearestRank.percentile(sortedNs, 100) / 1e6);
    return p99Ms;
  }
}
