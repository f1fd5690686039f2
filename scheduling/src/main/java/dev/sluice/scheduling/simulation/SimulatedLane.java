package dev.sluice.scheduling.simulation;

import dev.sluice.contract.event.BatchCompleted;
import dev.sluice.contract.event.BatchDispatched;
import dev.sluice.contract.value.DispatchId;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A lane with its batches, and the dispatches and completions on their way to and from it. */
final class SimulatedLane {
  /** Batch that the lane runs, or has run and not released yet. */
  @Nullable BatchDispatched running;

  long startedAtNs;

  /** Time at which the batch's work was done. */
  long doneAtNs;

  int busyLanesAtStart;

  /** Row of the hop of the batch that has ended. */
  int endRow;

  /** Batches that the lane holds beside the running one, in order. */
  final ArrayDeque<BatchDispatched> ahead = new ArrayDeque<>(1);

  /** Dispatches on their way, in order. */
  final ArrayDeque<Coming> coming = new ArrayDeque<>(1);

  /** Completions on their way to the log, in order. */
  final ArrayDeque<Going> going = new ArrayDeque<>(1);

  /** A dispatch on its way, with its time of arrival. */
  record Coming(BatchDispatched dispatch, long atNs) {}

  /** A completion on its way, with its time of append. */
  record Going(BatchCompleted fact, int row, long atNs) {}

  /** Returns how many dispatches the lane holds. */
  int holds() {
    return (running == null ? 0 : 1) + ahead.size();
  }

  /** Returns the names of the batches that the lane holds, in the order in which they run. */
  List<DispatchId> held() {
    List<DispatchId> names = new ArrayList<>(holds());
    if (running != null) {
      names.add(running.dispatchId());
    }
    ahead.forEach(dispatch -> names.add(dispatch.dispatchId()));
    return names;
  }

  /** Returns when the next dispatch comes; {@link Timeline#NEVER}: none is on its way. */
  long comesAtNs() {
    Coming first = coming.peek();
    return first == null ? Timeline.NEVER : first.atNs;
  }

  /** Returns when the next completion is appended; {@link Timeline#NEVER}: none is on its way. */
  long goesAtNs() {
    Going first = going.peek();
    return first == null ? Timeline.NEVER : first.atNs;
  }
}
