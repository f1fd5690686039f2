package dev.sluice.executor.dispatch;

import dev.sluice.contract.event.BatchDispatched;
import dev.sluice.executor.lane.LaneWork.PreparedBatch;
import org.jspecify.annotations.Nullable;

/**
 * The course of a batch on its lanes, before its results are read.
 *
 * @param startedNs monotonic time at which the inference began, or at which the batch failed before
 *     its inference
 * @param switchNs time until all its lanes held its model; 0 if they held it already
 * @param busyLanes number of lanes that ran a batch when this one began, its own included; null if
 *     it never began
 * @param batch null if it failed
 * @param cancelled whether it was cancelled before it was done
 * @param failure null if it did not fail
 */
record EndedBatch(
    BatchDispatched dispatch,
    long startedNs,
    long serviceNs,
    long switchNs,
    @Nullable Integer busyLanes,
    @Nullable PreparedBatch batch,
    boolean cancelled,
    @Nullable Exception failure) {}
