package dev.sluice.harness.twin.figure;

import dev.sluice.analytics.statistic.NearestRank;
import dev.sluice.analytics.summary.Summary;
import dev.sluice.contract.event.BatchDispatched;
import dev.sluice.contract.experiment.Experiment;
import dev.sluice.harness.twin.fold.DispatchKey;
import dev.sluice.harness.twin.fold.DispatchRow;
import dev.sluice.harness.twin.fold.JobRow;
import dev.sluice.harness.twin.fold.RunRows;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

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
  public List<String> names() {
    return List.of(
        "hop_count", "hop_p50_ms", "hop_p99_ms", "bubble_count", "bubble_p50_ms", "bubble_p99_ms");
  }

  @Override
  public void addTo(Summary summary, RunRows run) {
    addPercentiles(summary, "hop", hopsNs(run));
    addPercentiles(summary, "bubble", bubblesNs(run));
  }

  @Override
  public String countBehind(String p99Name) {
    return p99Name.startsWith("hop_") ? "hop_count" : "bubble_count";
  }

  private static void addPercentiles(Summary summary, String name, long[] sortedNs) {
    summary.put(name + "_count", sortedNs.length);
    summary.put(name + "_p50_ms", NearestRank.percentile(sortedNs, 50) / 1e6);
    summary.put(name + "_p99_ms", NearestRank.percentile(sortedNs, 99) / 1e6);
  }

  private static long[] hopsNs(RunRows run) {
    return run.measured().stream()
        .filter(JobRow::isDone)
        .filter(job -> job.doneDispatch().dispatch().decision().decidedAtNs() <= job.appendedAtNs())
        .mapToLong(JobRow::waitNs)
        .sorted()
        .toArray();
  }

  private static long[] bubblesNs(RunRows run) {
    Map<String, Long> intendedAtNs = new HashMap<>();
    run.jobs().forEach(j -> intendedAtNs.put(j.request().jobId(), j.request().intendedAtNs()));
    Map<DispatchKey, Long> startableAtNs = startableAtNs(run);
    List<Long> bubblesNs = new ArrayList<>();
    for (List<DispatchRow> lane : byLane(run)) {
      for (int i = 1; i < lane.size(); i++) {
        DispatchRow before = lane.get(i - 1);
        DispatchRow next = lane.get(i);
        long endNs = before.requireFinishedAtNs();
        Long completedAtNs = before.completedAtNs();
        boolean sameProcess =
            before.dispatch().place().incarnation() == next.dispatch().place().incarnation();
        boolean inside = run.windowStartNs() <= endNs && endNs < run.windowEndNs();
        boolean decidedByIt =
            completedAtNs != null && next.dispatch().decision().decidedAtNs() <= completedAtNs;
        String firstJob = next.dispatch().work().jobs().get(0).jobId();
        boolean waited =
            intendedAtNs.getOrDefault(firstJob, Long.MAX_VALUE) <= endNs
                || startableAtNs.getOrDefault(next.key(), Long.MAX_VALUE) <= endNs;
        if (sameProcess && inside && decidedByIt && waited) {
          bubblesNs.add(next.requireStartedAtNs() - endNs);
        }
      }
    }
    return bubblesNs.stream().mapToLong(Long::longValue).sorted().toArray();
  }

  /**
   * For each dispatch: since when some job of it, or of one decided later in its shard, could have
   * started.
   */
  private static Map<DispatchKey, Long> startableAtNs(RunRows run) {
    Experiment experiment = run.context().experiment();
    var microbatch = experiment.scheduling().microbatch();
    boolean joins = experiment.joinsJobs();
    Map<String, Long> byJob = new HashMap<>();
    for (JobRow job : run.jobs()) {
      String classType = job.request().classType();
      boolean windowed =
          joins
              && experiment.jobs().classes().stream()
                  .anyMatch(c -> c.name().equals(classType) && c.microbatch());
      long windowNs = windowed ? Math.round(microbatch.windowMs() * 1e6) : 0;
      byJob.put(job.request().jobId(), job.request().intendedAtNs() + windowNs);
    }
    Map<DispatchKey, Long> earliestNs = new HashMap<>();
    Map<Integer, Long> earliestByShard = new HashMap<>();
    for (int i = run.dispatches().size() - 1; i >= 0; i--) {
      DispatchRow row = run.dispatches().get(i);
      for (BatchDispatched.DispatchedJob job : row.dispatch().work().jobs()) {
        earliestByShard.merge(
            row.shard(), byJob.getOrDefault(job.jobId(), Long.MAX_VALUE), Math::min);
      }
      earliestNs.put(row.key(), earliestByShard.getOrDefault(row.shard(), Long.MAX_VALUE));
    }
    return earliestNs;
  }

  private static List<List<DispatchRow>> byLane(RunRows run) {
    Map<String, List<DispatchRow>> lanes = new HashMap<>();
    for (DispatchRow row : run.dispatches()) {
      if (row.ran()) {
        lanes.computeIfAbsent(row.laneId(), lane -> new ArrayList<>()).add(row);
      }
    }
    lanes
        .values()
        .forEach(rows -> rows.sort(Comparator.comparingLong(DispatchRow::requireStartedAtNs)));
    return new ArrayList<>(lanes.values());
  }
}
