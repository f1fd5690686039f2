package dev.sluice.harness.twin.figure;

import dev.sluice.analytics.statistic.NearestRank;
import dev.sluice.analytics.summary.Summary;
import dev.sluice.contract.experiment.Experiment.Scenario;
import dev.sluice.harness.twin.fold.JobRow;
import dev.sluice.harness.twin.fold.RunRows;
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
  public List<String> names() {
    return List.of("offline_throughput_sps", "single_stream_p90_e2e_ms");
  }

  @Override
  public void addTo(Summary summary, RunRows run) {
    Scenario scenario = run.context().experiment().load().scenario();
    List<JobRow> measured = run.measured();
    summary.put("scenario", scenario.key());
    summary.put(
        "offline_throughput_sps", scenario == Scenario.OFFLINE ? throughput(measured) : null);
    summary.put(
        "single_stream_p90_e2e_ms",
        scenario == Scenario.SINGLE_STREAM ? latencyMs(measured, 90) : null);
  }

  private static @Nullable Double throughput(List<JobRow> jobs) {
    if (jobs.isEmpty() || !jobs.stream().allMatch(JobRow::isDone)) {
      return null;
    }
    long samples = jobs.stream().mapToLong(job -> job.request().samples()).sum();
    long lastEndNs =
        jobs.stream()
            .mapToLong(job -> job.doneDispatch().requireFinishedAtNs())
            .max()
            .orElseThrow();
    return samples / (lastEndNs / 1e9);
  }

  private static @Nullable Double latencyMs(List<JobRow> jobs, int percent) {
    long[] latencyNs =
        jobs.stream().filter(JobRow::isDone).mapToLong(JobRow::endToEndNs).sorted().toArray();
    double ms = NearestRank.percentile(latencyNs, percent, jobs.size()) / 1e6;
    return Double.isNaN(ms) ? null : Double.valueOf(ms);
  }
}
