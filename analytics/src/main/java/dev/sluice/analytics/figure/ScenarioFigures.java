package dev.sluice.analytics.figure;

import static dev.sluice.analytics.figure.Figure.Definition.Unit.MILLISECONDS;
import static dev.sluice.analytics.figure.Figure.Definition.Unit.PER_SECOND;

import dev.sluice.analytics.fold.RunRows;
import dev.sluice.analytics.row.Jobs.JobRow;
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
  public void addTo(Summary summary, RunRows run) {
    Scenario scenario = run.context().experiment().load().scenario();
    summary.put("scenario", scenario.key());
    summary.put("offline_throughput_sps", scenario == Scenario.OFFLINE ? throughput(run) : null);
    summary.put("single_stream_p90_e2e_ms", scenario == Scenario.SINGLE_STREAM ? p90Ms(run) : null);
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
}
