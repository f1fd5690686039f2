package dev.sluice.scheduling.policies;

import static dev.sluice.scheduling.core.Facts.MS;
import static dev.sluice.scheduling.core.Facts.START;
import static dev.sluice.scheduling.core.Facts.alone;
import static dev.sluice.scheduling.core.Facts.executor;
import static dev.sluice.scheduling.core.Facts.job;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.entry;

import dev.sluice.contract.event.BatchDispatched;
import dev.sluice.contract.event.ExecutorReported.Capability;
import dev.sluice.contract.event.ExecutorReported.WarmUp;
import dev.sluice.scheduling.core.Facts;
import dev.sluice.scheduling.core.Shard;
import dev.sluice.scheduling.core.Step;
import dev.sluice.scheduling.policy.JobSpec;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The most batchable job first, on hand-made states. */
final class BatchAwarePolicyTest {
  private static final Facts.Job[] QUEUE = {job(1).interactive().on("vit"), job(2), job(3), job(4)};

  @Test
  void startsTheMostBatchableJob_beforeAnInteractiveOne() {
    Shard shard = Shard.of("batch_aware", alone(), executor("e", 1, 1000)).holding(QUEUE);
    List<BatchDispatched> started = shard.at(0, START);
    // 0.4 × 2 + 0.3 × 3 + 0.2 × 3 + 0.1 × 2 + 0.5 = 3.0, against 0 + 0.9 + 0.6 + 0 + 1.0 = 2.5
    assertThat(started).extracting(Shard::jobIds).containsExactly(List.of("j2"));
    assertThat(started.get(0).decision().scoreTerms())
        .containsExactly(
            entry("workload", 0.4 * 2),
            entry("backend", 0.3 * 3),
            entry("precision", 0.2 * 3),
            entry("class", 0.1 * 2),
            entry("bonus", 0.5));
  }

  @Test
  void startsTheInteractiveJobFirst_whenItsWeightSaysSo() {
    Shard shard = new Shard(alone(), Policies.create("batch_aware", Map.of("interactive", 2.0)));
    shard.at(0, executor("e", 1, 1000));
    assertThat(shard.holding(QUEUE).jobsStartedAt(0, START)).containsExactly(List.of("j1"));
  }

  /** One weight at a time: of three jobs, the two that share the attribute come first. */
  @ParameterizedTest
  @ValueSource(strings = {"workload", "backend", "precision", "class"})
  void eachWeightCountsTheOthersThatShareItsAttribute(String attribute) {
    Map<String, Double> weights = new HashMap<>(Policies.defaultWeights("batch_aware"));
    weights.replaceAll((name, weight) -> name.equals(attribute) ? 2.0 : 0.0);
    for (int odd = 1; odd <= 3; odd++) {
      Shard shard = new Shard(alone(), Policies.create("batch_aware", weights));
      shard.at(0, executor("e", 1, false, 3, 1000, EVERY_MODEL));
      for (int i = 1; i <= 3; i++) {
        shard.at(0, Step.of(spec(i, i == odd ? attribute : "")));
      }
      List<String> started =
          shard.jobsStartedAt(0, START).stream().flatMap(List::stream).limit(1).toList();
      assertThat(started).containsExactly(odd == 1 ? "j2" : "j1");
    }
  }

  /** A job that differs from its like in one attribute. */
  private static JobSpec spec(int index, String attribute) {
    return new JobSpec(
        "j" + index,
        0,
        index,
        attribute.equals("class") ? "bulk" : "batch",
        attribute.equals("workload") ? "vit" : "resnet18",
        attribute.equals("backend") ? "onnx" : "pytorch",
        attribute.equals("precision") ? "fp16" : "fp32",
        1,
        1,
        1000 * MS,
        0,
        null);
  }

  private static final List<Capability> EVERY_MODEL =
      Stream.of(
              "resnet18 pytorch fp32",
              "vit pytorch fp32",
              "resnet18 onnx fp32",
              "resnet18 pytorch fp16")
          .map(model -> model.split(" "))
          .map(m -> new Capability(m[0], m[1], m[2], 1_000_000, List.of(new WarmUp(1, 10 * MS))))
          .toList();

  @Test
  void breaksTiesByDeadline() {
    Shard shard =
        Shard.of("batch_aware", alone(), executor("e", 2, 1000))
            .holding(job(1).sloMs(50), job(2).sloMs(40).samples(2));
    assertThat(shard.jobsStartedAt(0, START)).containsExactly(List.of("j2"), List.of("j1"));
  }
}
