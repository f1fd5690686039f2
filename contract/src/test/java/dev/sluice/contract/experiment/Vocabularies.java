package dev.sluice.contract.experiment;

import dev.sluice.contract.experiment.ArrivalKeys.Mistake;
import dev.sluice.contract.experiment.Vocabulary.PolicyWeights;
import dev.sluice.contract.file.Range;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The names that the tests' files may use: those of the real registries. */
final class Vocabularies {
  private static final PolicyWeights DYNAMIC =
      new PolicyWeights(
          List.of(
              weight("interactive", 10),
              weight("urgency", 1),
              weight("overdue", 10),
              weight("batchability", 5)),
          given ->
              given.getOrDefault("overdue", 10.0) < given.getOrDefault("urgency", 1.0)
                  ? Optional.of(new Mistake("overdue", "overdue is below urgency", "swap them"))
                  : Optional.empty(),
          List.of(),
          false);

  static final Vocabulary KNOWN =
      new Vocabulary(
          Map.of(
              "fifo", PolicyWeights.NONE,
              "priority_slo", PolicyWeights.NONE,
              "batch_aware",
                  new PolicyWeights(
                      List.of(weight("workload", 0.4), weight("backend", 0.3)),
                      given -> Optional.empty(),
                      List.of(),
                      false),
              "dynamic", DYNAMIC,
              "random", PolicyWeights.NONE),
          Map.of(
              "poisson",
              ArrivalKeys.NONE,
              "constant",
              ArrivalKeys.NONE,
              "gamma",
              ArrivalKeys.of(new ArrivalKeys.Key("cv", Range.within(0.05, 20), 2)),
              "mmpp",
              ArrivalKeys.of(
                  new ArrivalKeys.Key("burst", Range.within(1, 1000), 4),
                  new ArrivalKeys.Key("share", Range.within(0, 1), 0.1),
                  new ArrivalKeys.Key("mean_burst_seconds", Range.within(0, 1000), 2))),
          Map.of("resnet18", 80, "resnet50", 160, "vit", 260, "vit_tiny", 40),
          Map.of(
              "resnet18", new Vocabulary.Parameters(46_796_960, 9_445_376),
              "vit", new Vocabulary.Parameters(346_270_624, 28_351_488)),
          List.of("all_p99_e2e_ms", "all_slo_violation_rate", "overall_throughput_sps"));

  private Vocabularies() {}

  private static PolicyWeights.Weight weight(String name, double defaultValue) {
    return new PolicyWeights.Weight(name, Range.within(0, 1e9), defaultValue);
  }
}
