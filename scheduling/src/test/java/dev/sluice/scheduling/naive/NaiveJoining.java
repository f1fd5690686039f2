package dev.sluice.scheduling.naive;

import dev.sluice.scheduling.policy.Choice.Cause;
import java.util.Set;

/** What the twins of policies that join jobs by themselves have in common. */
abstract class NaiveJoining implements NaivePolicy {
  @Override
  public boolean joinsByItself() {
    return true;
  }

  @Override
  public boolean reservesTokens() {
    return false;
  }

  @Override
  public Set<Cause> blockedBy(NaiveState state) {
    boolean mayStart =
        state.waiting.stream().anyMatch(w -> state.longestIdle(w, Long.MAX_VALUE) != null);
    return mayStart ? Set.of(Cause.POLICY) : state.causes();
  }
}
