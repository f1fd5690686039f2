package dev.sluice.analytics.figure;

import static dev.sluice.analytics.figure.Figure.Definition.Unit.COUNT;
import static dev.sluice.analytics.figure.Figure.Definition.Unit.MILLISECONDS;

import dev.sluice.analytics.fold.RunRows;
import dev.sluice.analytics.row.Batches.BatchRow;
import dev.sluice.analytics.row.Jobs.JobRow;
import dev.sluice.analytics.row.Summary;
import dev.sluice.analytics.statistic.LongBag;
import dev.sluice.analytics.statistic.NearestRank;
import dev.sluice.contract.experiment.Experiment;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Cost of the loop itself: time that passes though nothing stands in the way.
 *
 * <ul>
 *   <li><b>hop</b>: intended arrival to start, of measured done jobs that found an idle lane and
 *       waited for no window. These are the jobs whose start was decided by the very fact of their
 *       arrival: decided_time is not after appended_time in trace.csv, since a decision bears the
 *       log time of the fact that led to it. Had it waited for a lane, for tokens, for a window or
 *       for another job, a later fact would have decided.
 *   <li><b>bubble</b>: end of a batch to the start of the next on its lane, while startable work
 *       waited: where the next batch was decided by the very fact of this completion (its
 *       decided_time is not after the completed_time of the batch before, in dispatches.csv) and
 *       some job waited at that batch's end: its own first one, or one of it or of a later decision
 *       in its shard whose micro-batch window, if it has one, was over by then. Had nothing
 *       startable waited, a later fact would have decided. Counted where the batch ended inside the
 *       measured window and the next is of the same incarnation of the executor.
 * </ul>
 *
 * Both rest on the log's resolution of 1 ms: a wait that was shorter may count as none.
 */
final class LoopFigures implements Figure {
  @Override
  public List<Definition> numbers() {
    return List.of(
        Definition.of("hop_count", COUNT),
        Definition.of("hop_p50_ms", MILLISECONDS).lessIsBetter(),
        Definition.of("hop_p99_ms", MILLISECONDS)
            .lessIsBetter()
            .fewBelow(NearestRank.COUNT_FOR_P99, "hop_count"),
        Definition.of("bubble_count", COUNT),
        Definition.of("bubble_p50_ms", MILLISECONDS).lessIsBetter(),
        Definition.of("bubble_p99_ms", MILLISECONDS)
            .lessIsBetter()
            .fewBelow(NearestRank.COUNT_FOR_P99, "bubble_count"));
  }

  private static void addPercentiles(Summary summary, String name, LongBag ns) {
    long[] sorted = ns.sorted();
    summary.put(name + "_count", sorted.length);
    summary.put(name + "_p50_ms", NearestRank.percentile(sorted, 50) / 1e6);
    summary.put(name + "_p99_ms", NearestRank.percentile(sorted, 99) / 1e6);
  }

  /** Grain of append times; a policy may decide at times within it. */
  private static final long APPEND_GRAIN_NS = 1_000_000;

  @Override
  public void addTo(Summary summary, RunRows run) {
    var hopsNs = new LongBag();
    for (JobRow job : run.measured()) {
      if (job.isDone() && job.doneBy().decidedAtNs() < job.appendedAtNs() + APPEND_GRAIN_NS) {
        hopsNs.add(job.waitNs());
      }
    }
    addPercentiles(summary, "hop", hopsNs);
    var bubblesNs = new LongBag();
    long[] startableAtNs = startableAtNs(run);
    Map<String, BatchRow> lastOfLane = new HashMap<>();
    for (BatchRow next : run.batches().byStart()) {
      BatchRow before = lastOfLane.put(next.laneId(), next);
      if (before != null && decidedByTheEndOf(run, before, next)) {
        long endNs = before.finishedAtNs();
        JobRow first = next.jobs()[0];
        if ((first.isRequested() && first.intendedAtNs() <= endNs)
            || startableAtNs[next.number()] <= endNs) {
          bubblesNs.add(next.startedAtNs() - endNs);
        }
      }
    }
    addPercentiles(summary, "bubble", bubblesNs);
  }

  private static boolean decidedByTheEndOf(RunRows run, BatchRow before, BatchRow next) {
    long endNs = before.finishedAtNs();
    return run.windowStartNs() <= endNs
        && endNs < run.windowEndNs()
        && before.isCompleted()
        && next.decidedAtNs() < before.completedAtNs() + APPEND_GRAIN_NS
        && before.kind().place().incarnation() == next.kind().place().incarnation();
  }

  /**
   * For each batch by its number: since when some job of it, or of one decided later in its shard,
   * could have started.
   */
  private static long[] startableAtNs(RunRows run) {
    List<BatchRow> batches = run.batches().all();
    long[] windowNs = windowsNs(run);
    Map<Integer, Long> earliestByShard = new HashMap<>();
    long[] earliestNs = new long[run.batches().named()];
    for (int i = batches.size() - 1; i >= 0; i--) {
      BatchRow batch = batches.get(i);
      long ownNs = Long.MAX_VALUE;
      for (JobRow job : batch.jobs()) {
        if (job.isRequested()) {
          ownNs = Math.min(ownNs, job.intendedAtNs() + windowNs[run.classOf(job)]);
        }
      }
      int shard = batch.shard();
      long ofShardNs = Math.min(ownNs, earliestByShard.getOrDefault(shard, Long.MAX_VALUE));
      earliestByShard.put(shard, ofShardNs);
      earliestNs[batch.number()] = ofShardNs;
    }
    return earliestNs;
  }

  /** How long jobs of each class gather, by the class's place. */
  private static long[] windowsNs(RunRows run) {
    Experiment experiment = run.context().experiment();
    long windowNs = Math.round(experiment.scheduling().microbatch().windowMs() * 1e6);
    Set<String> gathered =
        experiment.jobs().classes().stream()
            .filter(jobClass -> experiment.joinsJobs() && jobClass.microbatch())
            .map(Experiment.JobClass::name)
            .collect(Collectors.toSet());
    return run.classNames().stream()
        .mapToLong(name -> gathered.contains(name) ? windowNs : 0)
        .toArray();
  }
}
