package dev.sluice.scheduling.naive;

import static dev.sluice.scheduling.naive.NaiveState.BY_ENTRY;
import static java.util.Comparator.comparingLong;

import dev.sluice.contract.event.BatchDispatched;
import dev.sluice.scheduling.naive.NaiveState.Held;
import dev.sluice.scheduling.naive.NaiveState.LaneOf;
import dev.sluice.scheduling.naive.NaiveState.Waiting;
import java.util.List;

/** The twin of {@code ray_like}: the first job that can start, where its model is. */
final class NaiveRayLike implements NaivePolicy {
  @Override
  public Held choose(NaiveState state, BatchDispatched followed) {
    Waiting best = state.waiting.stream().filter(state::startable).min(BY_ENTRY).orElse(null);
    return best == null ? null : state.fill(best, lane(state, best), BY_ENTRY, followed);
  }

  /** Returns, of the idle lanes, one that holds the workload, else the one idle the longest. */
  private static LaneOf lane(NaiveState state, Waiting w) {
    if (w.spec.lanesNeeded() > 1) {
      return state.laneFor(w);
    }
    List<LaneOf> idle =
        state.lanesFor(w).filter(l -> state.takesAt(l.executor(), l.index()) == 0).toList();
    return idle.stream()
        .filter(l -> w.spec.workload().equals(l.executor().resident.get(l.index())))
        .findFirst()
        .or(() -> idle.stream().min(comparingLong(l -> l.executor().freedNs.get(l.index()))))
        .orElseGet(() -> state.laneFor(w));
  }
}
