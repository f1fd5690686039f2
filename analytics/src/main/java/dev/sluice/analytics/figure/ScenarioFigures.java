package dev.sluice.analytics.figure;

import dev.sluice.analytics.column.LongBag;
import dev.sluice.analytics.fold.RunRows;
import dev.sluice.analytics.row.Jobs;
import dev.sluice.analytics.statistic.NearestRank;
import dev.sluice.analytics.summary.Summary;
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
  public List<String> names() {
    return List.of("offline_throughput_sps", "single_stream_p90_e2e_ms");
  }

  @Override
  public void addTo(Summary summary, RunRows run) {
    Scenario scenario = run.context().experiment().load().scenario();
    summary.put("scenario", scenario.key());
    summary.put("offline_throughput_sps", scenario == Scenario.OFFLINE ? throughput(run) : null);
    summary.put(
        "single_stream_p90_e2e_ms", scenario == Scenario.SINGLE_STREAM ? latencyMs(run, 90) : null);
  }

  private static @Nullable Double throughput(RunRows run) {
    Jobs jobs = run.jobs();
    long samples = 0;
    long lastEndNs = Long.MIN_VALUE;
    for (int i = 0; i < jobs.size(); i++) {
      int job = jobs.at(i);
      if (jobs.isMeasured(job)) {
        if (!jobs.isDone(job)) {
          return null;
        }
        samples += jobs.samples(job);
        lastEndNs = Math.max(lastEndNs, jobs.finishedAtNs(job));
      }
    }
    return run.measuredCount() == 0 ? null : Double.valueOf(samples / (lastEndNs / 1e9));
  }

  private static @Nullable Double latencyMs(RunRows run, int percent) {
    Jobs jobs = run.jobs();
    var latencyNs = new LongBag(run.space());
    for (int i = 0; i < jobs.size(); i++) {
      int job = jobs.at(i);
      if (jobs.isMeasured(job) && jobs.isDone(job)) {
        latencyNs.add(jobs.endToEndNs(job));
      }
    }
    double ms = NearestRank.percentile(latencyNs, percent, run.measuredCount()) / 1e6;
    latencyNs.clear();
    return Double.isNaN(ms) ? null : Double.valueOf(ms);
  }
}
