package dev.sluice.scheduling.naive;

import dev.sluice.contract.event.BatchCompleted;
import dev.sluice.contract.event.BatchDispatched;
import dev.sluice.scheduling.naive.NaiveState.Held;
import dev.sluice.scheduling.naive.NaiveState.Waiting;
import dev.sluice.scheduling.policy.Choice.Cause;
import java.util.Arrays;
import java.util.List;
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

  /** Jobs that the policy gives up, with its word. */
  record Dropped(List<Waiting> jobs, String word) {}

  /** Returns jobs that are given up before a start is chosen; null: none. */
  default Dropped drops(NaiveState state) {
    return null;
  }

  /** Returns a batch to cancel if nothing can be started; null: none. */
  default Held cancels(NaiveState state) {
    return null;
  }

  /** Whether the policy would start or drop something; what it cancels may wait for a fact. */
  default boolean wouldAct(NaiveState state) {
    return drops(state) != null || choose(state, null) != null;
  }

  /** Whether the policy joins jobs without a window, in time as fine as the senders noted it. */
  default boolean joinsByItself() {
    return false;
  }

  /** Whether jobs of all classes share batches. */
  default boolean mixesClasses() {
    return false;
  }

  /** A batch of the policy has started. */
  default void started(NaiveState state, Held held) {}

  /** A batch was done. */
  default void completed(NaiveState state, Held held, BatchCompleted completion) {}

  /** A fact was taken in. */
  default void timePassed(NaiveState state) {}

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
