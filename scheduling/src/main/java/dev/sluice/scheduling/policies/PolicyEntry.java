package dev.sluice.scheduling.policies;

import dev.sluice.scheduling.policy.SchedulingPolicy;
import dev.sluice.scheduling.policy.Weight;
import dev.sluice.scheduling.policy.Weight.Mistake;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A policy in a jar of its own. The jar names the class of the entry in {@code
 * META-INF/services/dev.sluice.scheduling.policies.PolicyEntry}, and lies beside Sluice's jars.
 */
public interface PolicyEntry {
  /** Returns the policy's name in experiment files. */
  String name();

  /** Returns the weights of the policy's score, in the order of its terms. */
  default List<Weight> weights() {
    return List.of();
  }

  /**
   * Finds a mistake in all weights together, each of which is in its range.
   *
   * @param weights a value for each of the weights
   */
  default Optional<Mistake> mistakeIn(Map<String, Double> weights) {
    return Optional.empty();
  }

  /**
   * Makes the policy.
   *
   * @param weights a value for each of the weights
   */
  SchedulingPolicy create(Map<String, Double> weights);
}
