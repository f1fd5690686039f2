package dev.sluice.harness.twin.figure;

import dev.sluice.analytics.summary.Summary;
import dev.sluice.harness.twin.fold.DispatchRow;
import dev.sluice.harness.twin.fold.JobRow;
import dev.sluice.harness.twin.fold.RunRows;
import java.util.List;

/**
 * Work of the lanes in the measured window: overall_throughput_sps and overall_throughput_jobs_sec
 * (all_throughput_… by another name), and lane_use: the busy time of every attempt inside the
 * window / (lanes × window). An attempt is busy from its start to its end, whatever its result;
 * only its part inside the window counts. An attempt without an answer is left out: its length is
 * unknown.
 */
final class CapacityFigures implements Figure {
  @Override
  public List<String> names() {
    return List.of("overall_throughput_sps", "overall_throughput_jobs_sec", "lanes", "lane_use");
  }

  @Override
  public void addTo(Summary summary, RunRows run) {
    double samples = 0;
    double jobs = 0;
    for (JobRow job : run.jobs()) {
      if (job.isDone() && isInside(run, job.doneDispatch().requireFinishedAtNs())) {
        samples += job.request().samples();
        jobs++;
      }
    }
    summary.put("overall_throughput_sps", samples / run.windowSeconds());
    summary.put("overall_throughput_jobs_sec", jobs / run.windowSeconds());
    summary.put("lanes", run.lanes());
    summary.put("lane_use", busyNs(run) / 1e9 / (run.lanes() * run.windowSeconds()));
  }

  private static boolean isInside(RunRows run, long atNs) {
    return run.windowStartNs() <= atNs && atNs < run.windowEndNs();
  }

  private static double busyNs(RunRows run) {
    double busyNs = 0;
    for (DispatchRow row : run.dispatches()) {
      if (row.ran()) {
        long fromNs = Math.max(row.requireStartedAtNs(), run.windowStartNs());
        long toNs = Math.min(row.requireFinishedAtNs(), run.windowEndNs());
        busyNs += Math.max(0, toNs - fromNs) * (double) row.dispatch().place().lanes().size();
      }
    }
    return busyNs;
  }
}
