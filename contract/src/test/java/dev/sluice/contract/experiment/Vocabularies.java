package dev.sluice.contract.experiment;

import dev.sluice.contract.file.Range;
import java.util.List;
import java.util.Map;

/** The names that the tests' files may use: those of the real registries. */
final class Vocabularies {
  static final Vocabulary KNOWN =
      new Vocabulary(
          Map.of(
              "fifo", List.of(),
              "priority_slo", List.of(),
              "batch_aware", List.of("workload", "backend"),
              "dynamic", List.of("interactive", "urgency", "batchability"),
              "random", List.of()),
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
}
