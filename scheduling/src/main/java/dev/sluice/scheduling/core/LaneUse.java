package dev.sluice.scheduling.core;

import dev.sluice.contract.event.BatchDispatched;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A lane of an executor that has not left, and what it holds.
 *
 * @param idle whether the lane holds nothing and takes a batch
 * @param hangs whether its executor or one of its batches was given up, so that it may never be
 *     idle again
 * @param held dispatches that it holds, in the order in which it runs them; a gang's stands on each
 *     of its lanes
 * @param freeAtNs time at which it is expected to be free by the predicted means of what it holds,
 *     which may be past; the time since when it is free if it holds nothing
 * @param resident workload whose model it holds; null: none was started on it
 */
public record LaneUse(
    String executorId,
    int index,
    boolean idle,
    boolean hangs,
    List<BatchDispatched> held,
    long freeAtNs,
    @Nullable String resident) {
  public LaneUse {
    held = List.copyOf(held);
  }
}
