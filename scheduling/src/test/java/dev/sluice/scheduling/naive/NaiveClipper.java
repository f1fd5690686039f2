package dev.sluice.scheduling.naive;

import dev.sluice.contract.event.BatchCompleted;
import dev.sluice.contract.event.BatchDispatched;
import dev.sluice.scheduling.naive.NaiveState.Held;
import dev.sluice.scheduling.naive.NaiveState.LaneOf;
import dev.sluice.scheduling.naive.NaiveState.Waiting;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The twin of {@code clipper} at its defaults. */
final class NaiveClipper extends NaiveJoining {
  private final Map<List<Object>, Integer> limits = new HashMap<>();

  @Override
  public void completed(NaiveState state, Held held, BatchCompleted completion) {
    Waiting first = held.jobs.get(0);
    List<Object> key =
        key(new LaneOf(state.executor(held.start.executorId()), held.start.lane()), first);
    int limit = limits.getOrDefault(key, 1);
    long sloNs =
        held.jobs.stream().filter(w -> !w.ended).mapToLong(w -> w.spec.sloNs()).min().orElseThrow();
    if (completion.serviceNs() > 0.5 * sloNs) {
      limits.put(key, Math.max(1, (int) Math.floor(0.9 * limit)));
    } else if (held.samples >= limit) {
      limits.put(key, limit + 1);
    }
  }

  private static List<Object> key(LaneOf lane, Waiting first) {
    return List.of(
        lane.executor().report.executorId(),
        lane.index(),
        first.spec.workload(),
        first.spec.backend(),
        first.spec.precision(),
        first.spec.classType());
  }

  @Override
  public Dropped drops(NaiveState state) {
    List<Waiting> late =
        state.waiting.stream().filter(w -> w.spec.deadlineNs() < state.nowNs).toList();
    return late.isEmpty() ? null : new Dropped(late, "late");
  }

  @Override
  public Held choose(NaiveState state, BatchDispatched followed) {
    Waiting head =
        state.sets().stream()
            .map(set -> set.first(NaiveState.BY_DEADLINE))
            .filter(w -> state.longestIdle(w, Long.MAX_VALUE) != null)
            .min(NaiveState.BY_DEADLINE)
            .orElse(null);
    if (head == null) {
      return null;
    }
    LaneOf lane = state.longestIdle(head, Long.MAX_VALUE);
    int limit = limits.getOrDefault(key(lane, head), 1);
    return state.fill(head, lane, NaiveState.BY_DEADLINE, limit, followed);
  }
}
