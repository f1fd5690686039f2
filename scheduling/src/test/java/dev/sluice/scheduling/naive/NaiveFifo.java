package dev.sluice.scheduling.naive;

import static dev.sluice.scheduling.naive.NaiveState.BY_ARRIVAL;
import static dev.sluice.scheduling.naive.NaiveState.BY_ENTRY;

import dev.sluice.contract.event.BatchDispatched;
import dev.sluice.scheduling.naive.NaiveState.Held;
import dev.sluice.scheduling.naive.NaiveState.Waiting;
import dev.sluice.scheduling.policy.Choice.Cause;
import java.util.Set;

/** The twin of {@code fifo}: the oldest job, or nothing. */
final class NaiveFifo implements NaivePolicy {
  @Override
  public Held choose(NaiveState state, BatchDispatched followed) {
    Waiting oldest = state.waiting.stream().min(BY_ARRIVAL).orElse(null);
    return oldest != null && state.startable(oldest)
        ? state.fill(oldest, state.laneFor(oldest), BY_ENTRY, followed)
        : null;
  }

  @Override
  public boolean reservesTokens() {
    return false;
  }

  @Override
  public Set<Cause> blockedBy(NaiveState state) {
    return Set.of(state.cause(state.waiting.stream().min(BY_ARRIVAL).orElseThrow()));
  }
}
