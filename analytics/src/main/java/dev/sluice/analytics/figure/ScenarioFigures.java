package dev.sluice.analytics.figure;

import static dev.sluice.analytics.figure.Figure.Definition.Unit.MILLISECONDS;
import static dev.sluice.analytics.figure.Figure.Definition.Unit.PER_SECOND;

import dev.sluice.analytics.fold.RunRows;
import dev.sluice.analytics.row.Summary;
import dev.sluice.analytics.statistic.LongBag;
import dev.sluice.analytics.statistic.NearestRank;
import dev.sluice.contract.experiment.Experiment.Scenario;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The figure that MLPerf Inference gives each scenario (Reddi et al., ISCA 2020), beside those of
 * all runs; the figures of another scenario are null.
 *
 * <ul>
 *   <li>offline_throughput_sps: samples of all measured jobs / time from zero, at which they all
 *       arrive, to the end of the last one. Null if one of them is not done, since samples that
 *       were never computed would count as fast.
 *   <li>single_stream_p90_e2e_ms: 90th percentile of the latencies, by nearest rank over all
 *       measured jobs; a job that is not done counts as infinite.
 * </ul>
 */
final class ScenarioFigures implements Figure {
  @Override
  public List<Definition> numbers() {
    return List.of(
        Definition.of("offline_throughput_sps", PER_SECOND).moreIsBetter(),
        Definition.of("single_stream_p90_e2e_ms", MILLISECONDS).lessIsBetter());
  }

  @Override
  public Fold begin(RunRows run) {
    Scenario scenario = run.context().experiment().load().scenario();
    return switch (scenario) {
      case OFFLINE -> new Offline(run);
      case SINGLE_STREAM -> new SingleStream(run);
      default -> summary -> addTo(summary, scenario, null, null);
    };
  }

  private static void addTo(
      Summary summary, Scenario scenario, @Nullable Double throughput, @Nullable Double p90Ms) {
    summary.put("scenario", scenario.key());
    summary.put("offline_throughput_sps", throughput);
    summary.put("single_stream_p90_e2e_ms", p90Ms);
  }

  private static final class Offline implements OfJobs {
    private final RunRows run;
    private boolean allDone = true;
    private long samples;
    private long lastEndNs = Long.MIN_VALUE;

    Offline(RunRows run) {
      this.run = run;
    }

    @Override
    public void takeJob(int job) {
      if (run.jobs().isMeasured(job)) {
        allDone &= run.jobs().isDone(job);
        samples += run.jobs().samples(job);
        lastEndNs = Math.max(lastEndNs, run.jobs().finishedAtNs(job));
      }
    }

    @Override
    public void addTo(Summary summary) {
      Double throughput =
          allDone && run.measuredCount() > 0 ? Double.valueOf(samples / (lastEndNs / 1e9)) : null;
      ScenarioFigures.addTo(summary, Scenario.OFFLINE, throughput, null);
    }
  }

  private static final class SingleStream implements OfJobs {
    private final RunRows run;
    private final LongBag latencyNs = new LongBag();

    SingleStream(RunRows run) {
      this.run = run;
    }

    @Override
    public void takeJob(int job) {
      if (run.jobs().isMeasured(job) && run.jobs().isDone(job)) {
        latencyNs.add(run.jobs().endToEndNs(job));
      }
    }

    @Override
    public void addTo(Summary summary) {
      double ms = NearestRank.percentile(latencyNs.sorted(), 90, run.measuredCount()) / 1e6;
      ScenarioFigures.addTo(
          summary, Scenario.SINGLE_STREAM, null, Double.isNaN(ms) ? null : Double.valueOf(ms));
    }
  }
}
