package dev.sluice.analytics.figure;

import dev.sluice.analytics.fold.RunRows;
import dev.sluice.analytics.row.Batches;
import dev.sluice.analytics.row.Jobs;
import dev.sluice.analytics.summary.Summary;
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
    Jobs rows = run.jobs();
    long fromNs = run.windowStartNs();
    long toNs = run.windowEndNs();
    for (int i = 0; i < rows.size(); i++) {
      int job = rows.at(i);
      if (rows.isDone(job) && fromNs <= rows.finishedAtNs(job) && rows.finishedAtNs(job) < toNs) {
        samples += rows.samples(job);
        jobs++;
      }
    }
    summary.put("overall_throughput_sps", samples / run.windowSeconds());
    summary.put("overall_throughput_jobs_sec", jobs / run.windowSeconds());
    summary.put("lanes", run.lanes());
    summary.put("lane_use", busyNs(run) / 1e9 / (run.lanes() * run.windowSeconds()));
  }

  private static double busyNs(RunRows run) {
    double busyNs = 0;
    Batches batches = run.batches();
    long windowStartNs = run.windowStartNs();
    long windowEndNs = run.windowEndNs();
    for (int i = 0; i < batches.size(); i++) {
      int batch = batches.at(i);
      if (batches.ran(batch)) {
        long fromNs = Math.max(batches.startedAtNs(batch), windowStartNs);
        long toNs = Math.min(batches.finishedAtNs(batch), windowEndNs);
        busyNs += Math.max(0, toNs - fromNs) * (double) batches.place(batch).lanes().size();
      }
    }
    return busyNs;
  }
}
