package dev.sluice.analytics.folder;

import dev.sluice.contract.value.ModelKey;
import org.jspecify.annotations.Nullable;

/**
 * A done batch, as dispatches.csv has it.
 *
 * @param laneId executor and lane, separated by a slash
 * @param busyLanes lanes that ran a batch when this one began, its own included
 * @param workNs service time that an emulated lane meant to take; null on real lanes
 */
public record FinishedBatch(
    String laneId,
    ModelKey model,
    int samples,
    int busyLanes,
    Times times,
    long serviceNs,
    @Nullable Long workNs) {

  /**
   * Times of a batch, in their order.
   *
   * @param decidedNs log time of the fact that led to the decision
   * @param startedNs start on the lane
   * @param endedNs end on the lane
   * @param completedNs append of the completion, 1 ms resolution
   */
  public record Times(long decidedNs, long startedNs, long endedNs, long completedNs) {}

  /** The executor that the lane belongs to. */
  public String executorId() {
    return laneId.substring(0, laneId.lastIndexOf('/'));
  }

  /** Start on the lane. */
  public long startedNs() {
    return times.startedNs();
  }

  /** End on the lane. */
  public long endedNs() {
    return times.endedNs();
  }
}
