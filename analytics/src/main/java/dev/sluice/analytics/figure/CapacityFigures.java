package dev.sluice.analytics.figure;

import static dev.sluice.analytics.figure.Figure.Definition.Unit.COUNT;
import static dev.sluice.analytics.figure.Figure.Definition.Unit.PER_SECOND;
import static dev.sluice.analytics.figure.Figure.Definition.Unit.RATIO;

import dev.sluice.analytics.fold.RunRows;
import dev.sluice.analytics.folder.Summary;
import dev.sluice.analytics.row.BatchView;
import dev.sluice.analytics.row.JobView;
import dev.sluice.analytics.statistic.Bounds;
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
  public List<Definition> numbers() {
    return List.of(
        Definition.of("overall_throughput_sps", PER_SECOND).moreIsBetter(),
        Definition.of("overall_throughput_jobs_sec", PER_SECOND).moreIsBetter(),
        Definition.of("lanes", COUNT),
        Definition.of("lane_use", RATIO).within(Bounds.SHARE));
  }

  @Override
  public Fold begin(RunRows run) {
    return new Work(run);
  }

  private static final class Work implements OfJobs, OfBatches {
    private final RunRows run;
    private final long fromNs;
    private final long toNs;
    private final int[] lanesOfPlace;
    private long samples;
    private long jobs;
    private double busyNs;

    Work(RunRows run) {
      this.run = run;
      fromNs = run.windowStartNs();
      toNs = run.windowEndNs();
      lanesOfPlace =
          run.batches().places().stream().mapToInt(place -> place.lanes().size()).toArray();
    }

    @Override
    public void take(JobView job) {
      if (job.isDone() && fromNs <= job.finishedAtNs() && job.finishedAtNs() < toNs) {
        samples += job.samples();
        jobs++;
      }
    }

    @Override
    public void take(BatchView batch) {
      if (batch.ran()) {
        long startNs = Math.max(batch.startedAtNs(), fromNs);
        long endNs = Math.min(batch.finishedAtNs(), toNs);
        busyNs += Math.max(0, endNs - startNs) * (double) lanesOfPlace[batch.placeNumber()];
      }
    }

    @Override
    public void addTo(Summary summary) {
      summary.put("overall_throughput_sps", samples / run.windowSeconds());
      summary.put("overall_throughput_jobs_sec", jobs / run.windowSeconds());
      summary.put("lanes", run.lanes());
      summary.put("lane_use", busyNs / 1e9 / (run.lanes() * run.windowSeconds()));
    }
  }
}
