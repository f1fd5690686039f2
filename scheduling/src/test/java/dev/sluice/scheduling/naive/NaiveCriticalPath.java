package dev.sluice.scheduling.naive;

import static dev.sluice.scheduling.naive.NaiveState.BY_PATH;
import static java.util.Comparator.comparingDouble;
import static java.util.Comparator.comparingLong;

import dev.sluice.contract.event.BatchDispatched;
import dev.sluice.scheduling.naive.NaiveState.Held;
import dev.sluice.scheduling.naive.NaiveState.LaneOf;
import dev.sluice.scheduling.naive.NaiveState.Waiting;
import dev.sluice.scheduling.policy.Choice.Cause;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** The twin of {@code critical_path}: the longest remaining path, on lanes that hold its model. */
final class NaiveCriticalPath implements NaivePolicy {
  @Override
  public Held choose(NaiveState state, BatchDispatched followed) {
    Placed first = firstPlaced(state, null);
    Placed chosen = first != null && first.waits ? firstPlaced(state, first) : first;
    return chosen == null ? null : state.fill(chosen.job, chosen.lane, BY_PATH, followed);
  }

  @Override
  public boolean reservesTokens() {
    return false;
  }

  /** Nothing was chosen, though something could have been: the policy holds it back. */
  @Override
  public Set<Cause> blockedBy(NaiveState state) {
    return state.waiting.stream().anyMatch(state::startable)
        ? Set.of(Cause.POLICY)
        : state.causes();
  }

  /** A job, and where the policy would start it, or let it wait. */
  private record Placed(Waiting job, LaneOf lane, double cost, boolean waits) {
    boolean overlaps(LaneOf from, int lanes) {
      return from.executor() == lane.executor()
          && IntStream.range(from.index(), from.index() + lanes)
              .anyMatch(i -> i >= lane.index() && i < lane.index() + job.spec.lanesNeeded());
    }
  }

  private static Placed firstPlaced(NaiveState state, Placed gang) {
    return state.waiting.stream()
        .map(w -> placed(state, w, gang))
        .filter(Objects::nonNull)
        .min(comparingDouble(Placed::cost).thenComparing(Placed::job, BY_PATH))
        .orElse(null);
  }

  private static Placed placed(NaiveState state, Waiting w, Placed gang) {
    LaneOf anyLane = state.startable(w) ? state.laneFor(w) : null;
    int lanes = w.spec.lanesNeeded();
    if (anyLane != null && state.takesAt(anyLane.executor(), anyLane.index()) > 0) {
      return gang != null && gang.overlaps(anyLane, 1) ? null : placed(state, w, anyLane, 0, false);
    }
    LaneOf lane =
        (anyLane == null ? Stream.<LaneOf>of() : state.lanesFor(w))
            .filter(l -> state.takesAt(l.executor(), l.index()) == 0 && l.index() % lanes == 0)
            .filter(l -> gang == null || !gang.overlaps(l, lanes))
            .min(
                comparingLong((LaneOf l) -> state.switchNs(l, w))
                    .thenComparing(
                        l -> !w.spec.workload().equals(l.executor().resident.get(l.index())))
                    .thenComparingLong(l -> l.executor().freedNs.get(l.index())))
            .orElse(null);
    if (lane != null) {
      long switchNs = state.switchNs(lane, w);
      return switchNs > 0 && lanes == 1 && othersAreThroughSooner(state, w)
          ? null
          : placed(state, w, lane, switchNs, false);
    }
    if (gang != null || lanes == 1 || (anyLane == null && !isBlockedByOthers(state, w))) {
      return null;
    }
    return state
        .joined()
        .filter(e -> !e.lost && NaiveState.canRun(e, w.spec))
        .filter(
            e ->
                state.overBudget(w.spec)
                    ? state.settings.placing().cpuFallback()
                    : state.tokens(w.spec) <= e.budgetTokens())
        .flatMap(
            e ->
                IntStream.iterate(0, i -> i + lanes <= e.report.lanes().size(), i -> i + lanes)
                    .mapToObj(i -> new LaneOf(e, i)))
        .min(
            comparingLong(
                l ->
                    IntStream.range(l.index(), l.index() + lanes)
                        .mapToLong(i -> state.laneFreeNs(new LaneOf(l.executor(), i)))
                        .max()
                        .orElseThrow()))
        .map(l -> placed(state, w, l, state.switchNs(l, w) + gatheringNs(state, l, lanes), true))
        .orElse(null);
  }

  private static Placed placed(
      NaiveState state, Waiting w, LaneOf lane, long lostNs, boolean waits) {
    double rankNs = w.spec.intendedAtNs() - w.spec.pathNs();
    return new Placed(w, lane, rankNs + 200.0 * lostNs, waits);
  }

  private static boolean isBlockedByOthers(NaiveState state, Waiting w) {
    return state.cause(w) == Cause.LANE || state.cause(w) == Cause.TOKENS;
  }

  private static long gatheringNs(NaiveState state, LaneOf lane, int lanes) {
    return IntStream.range(lane.index(), lane.index() + lanes)
        .mapToLong(
            i ->
                state.heldOn(lane.executor(), i).stream()
                    .mapToLong(h -> h.predicted.meanNs())
                    .sum())
        .max()
        .orElseThrow();
  }

  private static boolean othersAreThroughSooner(NaiveState state, Waiting w) {
    List<LaneOf> able =
        state
            .joined()
            .filter(e -> NaiveState.canRun(e, w.spec))
            .flatMap(
                e -> IntStream.range(0, e.report.lanes().size()).mapToObj(i -> new LaneOf(e, i)))
            .toList();
    List<LaneOf> holding =
        able.stream()
            .filter(l -> w.spec.workload().equals(l.executor().resident.get(l.index())))
            .filter(l -> state.takesAt(l.executor(), l.index()) != 0)
            .filter(l -> !l.executor().lost)
            .filter(l -> state.heldOn(l.executor(), l.index()).stream().noneMatch(h -> h.lost))
            .toList();
    long leastSwitchNs =
        able.stream()
            .filter(l -> !w.spec.workload().equals(l.executor().resident.get(l.index())))
            .mapToLong(l -> state.switchNs(l, w))
            .min()
            .orElse(Long.MAX_VALUE);
    long meanNs =
        holding.stream()
            .mapToLong(
                l ->
                    state.predictedNs(
                        l.executor(), w.spec, w.spec.samples(), state.busyLanesWith(l, w.spec)))
            .max()
            .orElse(0);
    long alike =
        state.waiting.stream()
            .filter(o -> NaiveState.group(o.spec).equals(NaiveState.group(w.spec)))
            .count();
    return !holding.isEmpty() && (double) alike * meanNs / holding.size() <= leastSwitchNs;
  }
}
