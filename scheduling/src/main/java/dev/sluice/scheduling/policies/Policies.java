package dev.sluice.scheduling.policies;

import static java.util.Map.entry;

import dev.sluice.scheduling.policy.SchedulingPolicy;
import dev.sluice.scheduling.policy.Weight;
import dev.sluice.scheduling.policy.Weight.Mistake;
import java.math.BigDecimal;
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
  private static final Map<String, Registration> BUILT_IN =
      Map.ofEntries(
          entry("fifo", unweighted(FifoPolicy::new)),
          entry("priority_slo", unweighted(PrioritySloPolicy::new)),
          entry("batch_aware", weighted(BatchAwarePolicy.WEIGHTS, BatchAwarePolicy::new)),
          entry("clipper", weighted(ClipperPolicy.PARAMETERS, ClipperPolicy::new)),
          entry(
              "clockwork",
              weighted(
                  ClockworkPolicy.PARAMETERS,
                  given -> Weight.notWhole(given, "max_batch"),
                  ClockworkPolicy::new)),
          entry("critical_path", unweighted(CriticalPathPolicy::new)),
          entry(
              "dynamic",
              weighted(DynamicPolicy.WEIGHTS, DynamicPolicy::mistakeIn, DynamicPolicy::new)),
          entry("eager_edf", unweighted(EagerEdfPolicy::new)),
          entry(
              "nexus",
              weighted(
                  NexusPolicy.PARAMETERS,
                  given -> Weight.notWhole(given, "lazy_drop"),
                  NexusPolicy::new)),
          entry("shepherd", weighted(ShepherdPolicy.PARAMETERS, ShepherdPolicy::new)),
          entry("shepherd_nonpreemptive", unweighted(ShepherdPolicy::new)),
          entry("slack", weighted(SlackPolicy.PARAMETERS, SlackPolicy::new)),
          entry("symphony", weighted(SymphonyPolicy.PARAMETERS, SymphonyPolicy::new)),
          entry("triton", weighted(TritonPolicy.PARAMETERS, TritonPolicy::new)),
          entry("random", unweighted(RandomPolicy::new)),
          entry("ray_like", unweighted(RayLikePolicy::new)));

  private static final Map<String, Registration> BY_NAME = withEntries();

  private Policies() {}

  private static Map<String, Registration> withEntries() {
    Map<String, Registration> all = new HashMap<>(BUILT_IN);
    for (PolicyEntry entry :
        ServiceLoader.load(PolicyEntry.class, Policies.class.getClassLoader())) {
      var registration = new Registration(entry.weights(), entry::mistakeIn, entry::create);
      if (all.put(entry.name(), registration) != null) {
        throw new IllegalStateException("two schedulers have the name (" + entry.name() + ")");
      }
    }
    return Map.copyOf(all);
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
    return registration(name).weights();
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
   * Finds the first mistake in weights: one that the policy has not, one that is out of its range,
   * or weights that do not go together.
   *
   * @param weights weights by name; a weight that is absent has its default
   * @throws IllegalArgumentException if no policy has that name
   */
  public static Optional<Mistake> mistakeIn(String name, Map<String, Double> weights) {
    Registration registration = registration(name);
    Map<String, Weight> known = new LinkedHashMap<>();
    registration.weights().forEach(weight -> known.put(weight.name(), weight));
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
                        digits(weight.least()),
                        digits(weight.most())),
                "it should be left out, for its default, " + weight.defaultValue()));
      }
    }
    return registration.rule().apply(withDefaults(name, weights));
  }

  private static String digits(double value) {
    return BigDecimal.valueOf(value).stripTrailingZeros().toPlainString();
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
    return registration(name).create().apply(withDefaults(name, weights));
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
    return new Registration(List.of(), weights -> Optional.empty(), weights -> create.get());
  }

  private static Registration weighted(
      List<Weight> weights, Function<Map<String, Double>, SchedulingPolicy> create) {
    return weighted(weights, given -> Optional.empty(), create);
  }

  private static Registration weighted(
      List<Weight> weights,
      Function<Map<String, Double>, Optional<Mistake>> rule,
      Function<Map<String, Double>, SchedulingPolicy> create) {
    return new Registration(weights, rule, create);
  }

  /**
   * A registered policy.
   *
   * @param rule mistakes in all weights together, each in its range
   * @param create makes the policy from all weights
   */
  private record Registration(
      List<Weight> weights,
      Function<Map<String, Double>, Optional<Mistake>> rule,
      Function<Map<String, Double>, SchedulingPolicy> create) {}
}
