package dev.sluice.scheduling.simulation;

import dev.sluice.contract.event.BatchDispatched;
import dev.sluice.contract.event.Dispatch;
import dev.sluice.contract.event.Fact;
import dev.sluice.contract.event.LanePrepared;
import dev.sluice.contract.value.DispatchId;
import dev.sluice.contract.value.ModelKey;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
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

  /**
   * Batches that the lane holds beside the running one, in order; the first may wait for its model.
   */
  final ArrayDeque<BatchDispatched> ahead = new ArrayDeque<>(1);

  /** Time since which the running batch, or the first one that does not run, has waited here. */
  long waitsSinceNs;

  /** Models that the lane has loaded; empty where lanes hold all models. */
  final Set<ModelKey> loaded = new HashSet<>();

  /** Preparations that the lane carries out, the present one first. */
  final ArrayDeque<LanePrepared> preparations = new ArrayDeque<>(1);

  /** Place of the model that the lane loads among those of the present preparation. */
  int loads;

  long loadStartedAtNs;

  /** Dispatches on their way, in order. */
  final ArrayDeque<Coming> coming = new ArrayDeque<>(1);

  /** Completions, and what came of loads, on their way to the log, in order. */
  final ArrayDeque<Going> going = new ArrayDeque<>(1);

  /** A dispatch on its way, with its time of arrival. */
  record Coming(Dispatch dispatch, long atNs) {}

  /** A fact on its way, with its time of append. */
  record Going(Fact fact, int row, long atNs) {}

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
