package dev.sluice.scheduling.state;

import dev.sluice.scheduling.prediction.ModelTimes;

/**
 * Keeps a batch from growing if that would make a member miss a deadline that it would meet in the
 * batch as it is, or alone, by the upper bound of the service time. Members that would miss their
 * deadline anyway do not limit the batch.
 */
final class DeadlineGuard {
  private final ModelTimes model;
  private final int busyLanes;
  private final long startNs;

  /** The earliest deadline of the members that would meet theirs. */
  private long earliestMetNs;

  /**
   * @param lane where the batch starts, after what it holds already
   */
  DeadlineGuard(QueuedJob first, ModelTimes model, ExecutorLane lane, long nowNs) {
    this.model = model;
    this.busyLanes = lane.executor().busyLanesWith(lane, first.group.lanesNeeded());
    this.startNs = lane.held().isEmpty() ? nowNs : Math.max(nowNs, lane.expectedFreeAtNs());
    this.earliestMetNs = Long.MAX_VALUE;
    joined(first, first.group.samples());
  }

  /** Returns whether the job may join the members, given their samples together with it. */
  boolean allows(QueuedJob next, long samples) {
    long endNs = endNs(samples);
    boolean nextWouldMiss =
        endNs > next.deadlineNs && endNs(next.group.samples()) <= next.deadlineNs;
    return endNs <= earliestMetNs && !nextWouldMiss;
  }

  /** Makes the job a member; the samples are those of all members together. */
  void joined(QueuedJob job, long samples) {
    if (endNs(samples) <= job.deadlineNs) {
      earliestMetNs = Math.min(earliestMetNs, job.deadlineNs);
    }
  }

  private long endNs(long samples) {
    return startNs + model.boundNs(Math.toIntExact(samples), busyLanes);
  }
}
