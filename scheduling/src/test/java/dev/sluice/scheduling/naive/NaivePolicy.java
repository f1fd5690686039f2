package dev.sluice.scheduling.naive;

import dev.sluice.contract.event.BatchDispatched;
import dev.sluice.scheduling.naive.NaiveState.Held;
import dev.sluice.scheduling.policy.Choice.Cause;
import java.util.Arrays;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * The twin of a policy: its rule, applied by scanning plain lists. The twin of the policy that is
 * registered as {@code critical_path} is the class {@code NaiveCriticalPath} of this package.
 */
interface NaivePolicy {
  /**
   * Chooses the next batch; null: none.
   *
   * @param followed what the core started, whose name is taken over; null: it started nothing more
   */
  Held choose(NaiveState state, BatchDispatched followed);

  /** Whether the policy would start something. */
  default boolean wouldStart(NaiveState state) {
    return choose(state, null) != null;
  }

  /** Whether tokens are kept for groups that the policy passes over. */
  default boolean reservesTokens() {
    return true;
  }

  /** Returns why nothing starts though jobs wait; of several causes the first by rank counts. */
  default Set<Cause> blockedBy(NaiveState state) {
    return state.causes();
  }

  /** Makes the twin of a registered policy. */
  static NaivePolicy twinOf(String policy) {
    String twin =
        NaivePolicy.class.getPackageName()
            + ".Naive"
            + Arrays.stream(policy.split("_"))
                .map(word -> word.substring(0, 1).toUpperCase(Locale.ROOT) + word.substring(1))
                .collect(Collectors.joining());
    try {
      var constructor = Class.forName(twin).getDeclaredConstructor();
      return (NaivePolicy) constructor.newInstance();
    } catch (ReflectiveOperationException e) {
      throw new AssertionError(
          "policy (%s) has no naive twin: write the class %s".formatted(policy, twin), e);
    }
  }
}
