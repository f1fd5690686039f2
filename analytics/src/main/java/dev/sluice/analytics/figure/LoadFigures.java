package dev.sluice.analytics.figure;

import static dev.sluice.analytics.figure.Figure.Definition.Unit.MILLISECONDS;
import static dev.sluice.analytics.figure.Figure.Definition.Unit.PER_SECOND;
import static dev.sluice.analytics.figure.Figure.Definition.Unit.RATIO;

import dev.sluice.analytics.fold.RunRows;
import dev.sluice.analytics.row.Jobs.JobRow;
import dev.sluice.analytics.row.Summary;
import dev.sluice.analytics.row.Verdict;
import dev.sluice.analytics.statistic.Bounds;
import dev.sluice.analytics.statistic.LongBag;
import dev.sluice.analytics.statistic.NearestRank;
import dev.sluice.contract.experiment.Experiment.JobClass;
import dev.sluice.contract.experiment.Experiment.Load;
import dev.sluice.contract.experiment.Experiment.Scenario;
import dev.sluice.contract.experiment.LoadShape;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.OptionalDouble;
import java.util.stream.DoubleStream;
import org.jspecify.annotations.Nullable;

/**
 * The load that was asked for, the load that came, and how late the generator was.
 *
 * <p>A rate and a dispersion of jobs that all arrive at once are null, and so is an asked rate
 * where none is asked for: realized_rate_jobs_sec = measured jobs / window, realized_gap_cv =
 * standard deviation / mean of the gaps between their intended arrivals (n − 1 in the divisor; null
 * under three jobs). A Poisson process's is 1. realized_dispersion_1s = variance / mean of the
 * numbers of measured jobs that are meant to arrive in each whole second of the window (n − 1 in
 * the divisor; null under two seconds and without a job). An even Poisson process's is 1.
 *
 * <p>The figure that MLPerf Inference gives each scenario (Reddi et al., ISCA 2020); the figures of
 * another scenario are null.
 *
 * <ul>
 *   <li>offline_throughput_sps: samples of all measured jobs / time from zero, at which they all
 *       arrive, to the end of the last one. Null if one of them is not done, since samples that
 *       were never computed would count as fast.
 *   <li>single_stream_p90_e2e_ms: 90th percentile of the latencies, by nearest rank over all
 *       measured jobs; a job that is not done counts as infinite.
 * </ul>
 *
 * <p>Lateness of the generator: lateness_…_ms = send call − intended arrival of the measured jobs.
 * Its limit is max(2 ms, 5 % of the smallest promise); the promise of a class that gives a multiple
 * of the isolated time is the smallest to any of its measured jobs. A p99 above the limit means
 * {@code saturated}: the run is not comparable. Above ten times the limit the run has failed. Under
 * the scenario offline no generator can send all jobs at their time, and nothing is judged.
 * append_delay_…_ms = broker's append − send call; the append has 1 ms resolution, so the delay may
 * be down to −1 ms.
 */
final class LoadFigures implements Figure {
  private static final long NS_PER_SECOND = 1_000_000_000;
  private static final double LIMIT_MS_MIN = 2;
  private static final double LIMIT_SHARE_OF_SLO = 0.05;
  private static final double FAILS_ABOVE_TIMES = 10;

  @Override
  public List<Definition> numbers() {
    return List.of(
        Definition.of("asked_rate_jobs_sec", PER_SECOND),
        Definition.of("realized_rate_jobs_sec", PER_SECOND),
        Definition.of("realized_gap_cv", RATIO),
        Definition.of("realized_dispersion_1s", RATIO),
        Definition.of("offline_throughput_sps", PER_SECOND).moreIsBetter(),
        Definition.of("single_stream_p90_e2e_ms", MILLISECONDS).lessIsBetter(),
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
    Load load = run.context().experiment().load();
    Scenario scenario = load.scenario();
    boolean atOnce = scenario == Scenario.OFFLINE;
    double[] atNs = run.measured().stream().mapToDouble(JobRow::intendedAtNs).toArray();
    summary.put(
        "asked_rate_jobs_sec", scenario == Scenario.SERVER ? load.askedRateJobsPerSec() : null);
    summary.put("asked_arrivals", asked(load));
    summary.put("realized_rate_jobs_sec", atOnce ? null : atNs.length / run.windowSeconds());
    summary.put("realized_gap_cv", gapVariation(atNs));
    summary.put("realized_dispersion_1s", atOnce ? null : dispersion(run));
    summary.put("scenario", scenario.key());
    summary.put("offline_throughput_sps", atOnce ? throughput(run) : null);
    summary.put("single_stream_p90_e2e_ms", scenario == Scenario.SINGLE_STREAM ? p90Ms(run) : null);
    addLateness(summary, run, atOnce);
  }

  private static String asked(Load load) {
    if (load.scenario() != Scenario.SERVER) {
      return load.scenario().key();
    }
    String shape = load.shape().equals(LoadShape.even()) ? "" : ", load " + load.shape().name();
    return load.arrivals().words() + shape;
  }

  private static @Nullable Double gapVariation(double[] atNs) {
    int gaps = atNs.length - 1;
    double meanNs = gaps < 2 ? 0 : (atNs[gaps] - atNs[0]) / gaps;
    if (meanNs == 0) {
      return null;
    }
    double squares = 0;
    for (int i = 1; i <= gaps; i++) {
      double gapNs = atNs[i] - atNs[i - 1];
      squares += (gapNs - meanNs) * (gapNs - meanNs);
    }
    return Math.sqrt(squares / (gaps - 1)) / meanNs;
  }

  private static @Nullable Double dispersion(RunRows run) {
    int[] ofSecond = new int[Math.max(0, (int) Math.floor(run.windowSeconds()))];
    int counted = 0;
    for (JobRow job : run.measured()) {
      long second = (job.intendedAtNs() - run.windowStartNs()) / NS_PER_SECOND;
      if (second < ofSecond.length) { // of the window's last part of a second nothing counts
        ofSecond[(int) second]++;
        counted++;
      }
    }
    if (ofSecond.length < 2 || counted == 0) {
      return null;
    }
    double mean = (double) counted / ofSecond.length;
    double sum = 0;
    for (int count : ofSecond) {
      sum += (count - mean) * (count - mean);
    }
    return sum / (ofSecond.length - 1) / mean;
  }

  private static @Nullable Double throughput(RunRows run) {
    long samples = 0;
    long lastEndNs = Long.MIN_VALUE;
    for (JobRow job : run.measured()) {
      if (!job.isDone()) {
        return null;
      }
      samples += job.samples();
      lastEndNs = Math.max(lastEndNs, job.finishedAtNs());
    }
    return run.measured().isEmpty() ? null : Double.valueOf(samples / (lastEndNs / 1e9));
  }

  private static double p90Ms(RunRows run) {
    var latencyNs = new LongBag();
    for (JobRow job : run.measured()) {
      if (job.isDone()) {
        latencyNs.add(job.endToEndNs());
      }
    }
    return NearestRank.percentile(latencyNs.sorted(), 90, run.measured().size()) / 1e6;
  }

  private static void addLateness(Summary summary, RunRows run, boolean atOnce) {
    var latenessNs = new LongBag();
    var appendDelayNs = new LongBag();
    for (JobRow job : run.measured()) {
      latenessNs.add(job.latenessNs());
      appendDelayNs.add(job.appendedAtNs() - job.sentAtNs());
    }
    double p99Ms = addPercentiles(summary, "lateness", latenessNs.sorted());
    if (atOnce) {
      summary.put("lateness_limit_ms", null);
      summary.put("lateness_verdict", "not judged: all jobs are meant for time zero");
    } else {
      double limitMs =
          Math.max(LIMIT_MS_MIN, LIMIT_SHARE_OF_SLO * sloMsMin(run).orElse(LIMIT_MS_MIN));
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
