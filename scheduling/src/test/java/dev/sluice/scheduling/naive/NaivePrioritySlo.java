package dev.sluice.scheduling.naive;

import static dev.sluice.scheduling.naive.NaiveState.BY_DEADLINE;
import static java.util.Comparator.comparing;

import dev.sluice.contract.event.BatchDispatched;
import dev.sluice.scheduling.naive.NaiveState.Held;
import dev.sluice.scheduling.naive.NaiveState.Waiting;

/** The twin of {@code priority_slo}: the most urgent class, then the earliest deadline. */
final class NaivePrioritySlo implements NaivePolicy {
  @Override
  public Held choose(NaiveState state, BatchDispatched followed) {
    return state.startFirst(
        comparing((Waiting w) -> state.jobClass(w.spec).priority()).thenComparing(BY_DEADLINE),
        followed);
  }
}
