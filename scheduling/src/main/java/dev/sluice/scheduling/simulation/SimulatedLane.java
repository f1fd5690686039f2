package dev.sluice.scheduling.simulation;

import dev.sluice.scheduling.fact.CoreFact;
import dev.sluice.scheduling.fact.Dispatch;
import dev.sluice.scheduling.fact.DispatchName;
import dev.sluice.scheduling.simulation.SimulationListener.Ran;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A lane, what it holds, and what is on its way to it and from it. */
final class SimulatedLane {
  /** What it runs, or has run and not let go yet. */
  @Nullable Dispatch running;

  long startedAtNs;

  /** When its work was done. */
  long doneAtNs;

  int busyLanesAtStart;

  /** The row of the hop of what has ended. */
  int endRow;

  /** What it holds beside the one that runs, in order. */
  final ArrayDeque<Dispatch> ahead = new ArrayDeque<>(1);

  /** Dispatches on their way, in order. */
  final ArrayDeque<Coming> coming = new ArrayDeque<>(1);

  /** Completions on their way to the log, in order. */
  final ArrayDeque<Going> going = new ArrayDeque<>(1);

  /** A dispatch that arrives then. */
  record Coming(Dispatch dispatch, long atNs) {}

  /** A completion that is appended then. */
  record Going(CoreFact.BatchCompleted fact, Ran ran, int row, long atNs) {}

  /** Returns how many dispatches it holds. */
  int holds() {
    return (running == null ? 0 : 1) + ahead.size();
  }

  /** Their names, in the order of their runs. */
  List<DispatchName> held() {
    List<DispatchName> names = new ArrayList<>(holds());
    if (running != null) {
      names.add(running.name());
    }
    ahead.forEach(dispatch -> names.add(dispatch.name()));
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
