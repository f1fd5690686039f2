package dev.sluice.scheduling.naive;

import dev.sluice.contract.event.BatchDispatched;
import dev.sluice.scheduling.naive.NaiveState.Held;
import dev.sluice.scheduling.naive.NaiveState.JobSetOf;
import dev.sluice.scheduling.naive.NaiveState.LaneOf;
import dev.sluice.scheduling.naive.NaiveState.Waiting;

/** The twin of {@code eager_edf}: the first deadline, with what ends by it. */
final class NaiveEagerEdf extends NaiveJoining {
  @Override
  public Dropped drops(NaiveState state) {
    return state.late();
  }

  @Override
  public Held choose(NaiveState state, BatchDispatched followed) {
    for (Waiting head :
        state.sets().stream()
            .map(set -> set.first(NaiveState.BY_DEADLINE))
            .sorted(NaiveState.BY_DEADLINE)
            .toList()) {
      long leftNs = head.spec.deadlineNs() - state.nowNs;
      LaneOf lane = state.longestIdle(head, leftNs);
      if (lane != null) {
        JobSetOf set =
            state.sets().stream().filter(s -> s.waiting().contains(head)).findFirst().orElseThrow();
        return state.fill(
            head, lane, NaiveState.BY_DEADLINE, state.largestWithin(set, lane, leftNs), followed);
      }
    }
    return null;
  }
}
