package dev.sluice.scheduling.policies;

import dev.sluice.scheduling.policy.SchedulingPolicy;
import dev.sluice.scheduling.policy.Weight;
import dev.sluice.scheduling.policy.Weight.Mistake;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.ServiceLoader;
import java.util.function.Function;
import java.util.function.Supplier;

/** The policies by name: those below, and each {@link PolicyEntry} on the class path. */
public final class Policies {
  private static final List<PolicyEntry> BUILT_IN =
      List.of(
          unweighted("fifo", FifoPolicy::new),
          unweighted("priority_slo", PrioritySloPolicy::new),
          weighted("batch_aware", BatchAwarePolicy.WEIGHTS, BatchAwarePolicy::new),
          weighted("clipper", ClipperPolicy.PARAMETERS, ClipperPolicy::new),
          new BuiltIn(
              "clockwork",
              ClockworkPolicy.PARAMETERS,
              given -> Weight.notWhole(given, "max_batch"),
              ClockworkPolicy::new),
          unweighted("critical_path", CriticalPathPolicy::new),
          new BuiltIn(
              "dynamic", DynamicPolicy.WEIGHTS, DynamicPolicy::mistakeIn, DynamicPolicy::new),
          unweighted("eager_edf", EagerEdfPolicy::new),
          new BuiltIn(
              "nexus",
              NexusPolicy.PARAMETERS,
              given -> Weight.notWhole(given, "lazy_drop"),
              NexusPolicy::new),
          weighted("shepherd", ShepherdPolicy.PARAMETERS, ShepherdPolicy::new),
          unweighted("shepherd_nonpreemptive", ShepherdPolicy::new),
          weighted("slack", SlackPolicy.PARAMETERS, SlackPolicy::new),
          weighted("symphony", SymphonyPolicy.PARAMETERS, SymphonyPolicy::new),
          weighted("triton", TritonPolicy.PARAMETERS, TritonPolicy::new),
          unweighted("random", RandomPolicy::new),
          unweighted("ray_like", RayLikePolicy::new));

  private static final Map<String, PolicyEntry> BY_NAME = new HashMap<>();

  static {
    BUILT_IN.forEach(Policies::register);
    ServiceLoader.load(PolicyEntry.class, Policies.class.getClassLoader())
        .forEach(Policies::register);
  }

  private Policies() {}

  private static void register(PolicyEntry entry) {
    if (BY_NAME.put(entry.name(), entry) != null) {
      throw new IllegalStateException("two schedulers have the name (" + entry.name() + ")");
    }
  }

  /** Returns the names of all policies, in alphabetical order. */
  public static List<String> names() {
    return BY_NAME.keySet().stream().sorted().toList();
  }

  /**
   * Returns a policy's weights, in the order of its score's terms; none if it has none.
   *
   * @throws IllegalArgumentException if no policy has that name
   */
  public static List<Weight> weights(String name) {
    return entry(name).weights();
  }

  /**
   * Returns the defaults of a policy's weights by name, in the order of its score's terms.
   *
   * @throws IllegalArgumentException if no policy has that name
   */
  public static Map<String, Double> defaultWeights(String name) {
    Map<String, Double> weights = new LinkedHashMap<>();
    entry(name).weights().forEach(w -> weights.put(w.name(), w.defaultValue()));
    return weights;
  }

  /**
   * Finds the first mistake in weights: one that the policy has not, one that is out of its range,
   * or weights that do not go together.
   *
   * @param weights weights by name; a weight that is absent has its default
   * @throws IllegalArgumentException if no policy has that name
   */
  public static Optional<Mistake> mistakeIn(String name, Map<String, Double> weights) {
    PolicyEntry entry = entry(name);
    Map<String, Weight> known = new LinkedHashMap<>();
    entry.weights().forEach(weight -> known.put(weight.name(), weight));
    for (Map.Entry<String, Double> given : weights.entrySet()) {
      Weight weight = known.get(given.getKey());
      if (weight == null) {
        return Optional.of(
            new Mistake(
                given.getKey(),
                "weight (%s) of scheduler (%s) is unknown".formatted(given.getKey(), name),
                known.isEmpty() ? "another scheduler was meant" : "one of " + known.keySet()));
      }
      if (!weight.holds(given.getValue())) {
        return Optional.of(
            new Mistake(
                weight.name(),
                "%s (%s) must be at least %s and at most %s"
                    .formatted(
                        weight.name(),
                        given.getValue(),
                        Weight.plain(weight.least()),
                        Weight.plain(weight.most())),
                "it should be left out, for its default, " + weight.defaultValue()));
      }
    }
    return entry.mistakeIn(withDefaults(name, weights));
  }

  private static Map<String, Double> withDefaults(String name, Map<String, Double> weights) {
    Map<String, Double> all = defaultWeights(name);
    all.putAll(weights);
    return all;
  }

  /**
   * Makes a policy.
   *
   * @param weights weights by name; a weight that is absent has its default
   * @throws IllegalArgumentException if no policy has that name, or {@link #mistakeIn} finds
   *     something
   */
  public static SchedulingPolicy create(String name, Map<String, Double> weights) {
    mistakeIn(name, weights)
        .ifPresent(
            mistake -> {
              throw new IllegalArgumentException(mistake.what());
            });
    return entry(name).create(withDefaults(name, weights));
  }

  private static PolicyEntry entry(String name) {
    PolicyEntry entry = BY_NAME.get(name);
    if (entry == null) {
      throw new IllegalArgumentException(
          "scheduler (%s) is unknown. Known schedulers: %s"
              .formatted(name, String.join(", ", names())));
    }
    return entry;
  }

  private static PolicyEntry unweighted(String name, Supplier<SchedulingPolicy> create) {
    return weighted(name, List.of(), weights -> create.get());
  }

  private static PolicyEntry weighted(
      String name, List<Weight> weights, Function<Map<String, Double>, SchedulingPolicy> create) {
    return new BuiltIn(name, weights, given -> Optional.empty(), create);
  }

  /**
   * A policy of this package.
   *
   * @param rule mistakes in all weights together, each in its range
   * @param create makes the policy from all weights
   */
  private record BuiltIn(
      String name,
      List<Weight> weights,
      Function<Map<String, Double>, Optional<Mistake>> rule,
      Function<Map<String, Double>, SchedulingPolicy> create)
      implements PolicyEntry {
    @Override
    public Optional<Mistake> mistakeIn(Map<String, Double> given) {
      return rule.apply(given);
    }

    @Override
    public SchedulingPolicy create(Map<String, Double> given) {
      return create.apply(given);
    }
  }
}
