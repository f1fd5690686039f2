package dev.sluice.harness.frame;

import dev.sluice.analytics.figure.Figures;
import dev.sluice.contract.experiment.ArrivalKeys;
import dev.sluice.contract.experiment.Vocabulary;
import dev.sluice.contract.experiment.Vocabulary.PolicyWeights;
import dev.sluice.contract.file.Range;
import dev.sluice.executor.network.Precision;
import dev.sluice.executor.network.Workloads;
import dev.sluice.producer.arrivals.ArrivalProcesses;
import dev.sluice.scheduling.policies.Policies;
import dev.sluice.scheduling.policy.SchedulingPolicy.Need;
import dev.sluice.scheduling.policy.SchedulingPolicy.Needs;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

/** The names that an experiment may use, from the registries of all modules. */
public final class Registries {
  private Registries() {}

  public static Vocabulary vocabulary() {
    Map<String, PolicyWeights> schedulers = new TreeMap<>();
    Policies.names().forEach(name -> schedulers.put(name, weights(name)));
    return new Vocabulary(
        schedulers,
        ArrivalProcesses.keys(),
        Workloads.tokens(),
        workloadParameters(),
        Figures.figureNames());
  }

  private static PolicyWeights weights(String policy) {
    Needs needs = Policies.create(policy, Map.of()).needs();
    return new PolicyWeights(
        Policies.weights(policy).stream()
            .map(
                weight ->
                    new PolicyWeights.Weight(
                        weight.name(),
                        Range.within(weight.least(), weight.most()),
                        weight.defaultValue()))
            .toList(),
        given ->
            Policies.mistakeIn(policy, given)
                .map(m -> new ArrivalKeys.Mistake(m.weight(), m.what(), m.maybe())),
        decides(needs),
        needs.has(Need.BOUNDS));
  }

  private static List<String> decides(Needs needs) {
    return Stream.of(
            Need.JOINING, Need.SETS_OF_ALL_CLASSES, Need.DROPPING, Need.CANCELLING, Need.RESIDENCY)
        .filter(needs::has)
        .map(need -> need.name().toLowerCase(Locale.ROOT))
        .toList();
  }

  private static Map<String, Vocabulary.Parameters> workloadParameters() {
    Map<String, Vocabulary.Parameters> parameters = new TreeMap<>();
    for (String name : Workloads.names()) {
      List<Long> layers =
          Workloads.network(name).blocks().stream()
              .map(block -> block.part().weightBytes(Precision.FP32))
              .toList();
      parameters.put(
          name,
          new Vocabulary.Parameters(
              layers.stream().mapToLong(Long::longValue).sum(), Collections.max(layers)));
    }
    return parameters;
  }
}
