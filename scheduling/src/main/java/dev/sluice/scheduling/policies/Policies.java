package dev.sluice.scheduling.policies;

import static java.util.Map.entry;

import dev.sluice.scheduling.policy.SchedulingPolicy;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.Supplier;

/** The policies by name. */
public final class Policies {
  private static final Map<String, Registration> BY_NAME =
      Map.ofEntries(
          entry("fifo", unweighted(FifoPolicy::new)),
          entry("priority_slo", unweighted(PrioritySloPolicy::new)),
          entry("batch_aware", weighted(BatchAwarePolicy.WEIGHTS, BatchAwarePolicy::new)),
          entry("critical_path", unweighted(CriticalPathPolicy::new)),
          entry("dynamic", weighted(DynamicPolicy.WEIGHTS, DynamicPolicy::new)),
          entry("random", unweighted(RandomPolicy::new)),
          entry("ray_like", unweighted(RayLikePolicy::new)));

  private Policies() {}

  /** Returns the names of all policies, in alphabetical order. */
  public static List<String> names() {
    return BY_NAME.keySet().stream().sorted().toList();
  }

  /**
   * Returns the names of a policy's weights, in the order of its score's terms; empty if it has
   * none.
   *
   * @throws IllegalArgumentException if no policy has that name
   */
  public static List<String> weightNames(String name) {
    return registration(name).weights().stream().map(Weight::name).toList();
  }

  /**
   * Returns the defaults of a policy's weights by name, in the order of its score's terms.
   *
   * @throws IllegalArgumentException if no policy has that name
   */
  public static Map<String, Double> defaultWeights(String name) {
    Map<String, Double> weights = new LinkedHashMap<>();
    registration(name).weights().forEach(w -> weights.put(w.name(), w.defaultValue()));
    return weights;
  }

  /**
   * Makes a policy.
   *
   * @param weights weights by name, each finite and at least 0; a weight that is absent has its
   *     default
   * @throws IllegalArgumentException if no policy has that name, if the policy has no such weight,
   *     or if a value is out of range
   */
  public static SchedulingPolicy create(String name, Map<String, Double> weights) {
    Registration registration = registration(name);
    Map<String, Double> all = new HashMap<>(defaultWeights(name));
    weights.forEach(
        (weight, value) -> {
          if (all.replace(weight, value) == null) {
            throw new IllegalArgumentException(
                "weight (%s) of scheduler (%s) is unknown. Known weights: %s"
                    .formatted(weight, name, weightNames(name)));
          }
          if (!Double.isFinite(value) || value < 0) {
            throw new IllegalArgumentException(
                "weight %s (%s) of scheduler (%s) must be finite and at least 0"
                    .formatted(weight, value, name));
          }
        });
    return registration.create().apply(all);
  }

  private static Registration registration(String name) {
    Registration registration = BY_NAME.get(name);
    if (registration == null) {
      throw new IllegalArgumentException(
          "scheduler (%s) is unknown. Known schedulers: %s"
              .formatted(name, String.join(", ", names())));
    }
    return registration;
  }

  private static Registration unweighted(Supplier<SchedulingPolicy> create) {
    return new Registration(List.of(), weights -> create.get());
  }

  private static Registration weighted(
      List<Weight> weights, Function<Map<String, Double>, SchedulingPolicy> create) {
    return new Registration(weights, create);
  }

  /** A registered policy: its weights, and the function that makes it from all of them. */
  private record Registration(
      List<Weight> weights, Function<Map<String, Double>, SchedulingPolicy> create) {}
}
