package dev.sluice.producer.requests;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.contract.event.ExecutorReported;
import dev.sluice.contract.event.ExecutorReported.Capability;
import dev.sluice.contract.event.ExecutorReported.Lane;
import dev.sluice.contract.value.ModelKey;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A run starts once its lanes are there. */
final class LaneCoverageTest {
  private static final List<ModelKey> MODELS =
      List.of(model("vit", "onnx"), model("vit", "onnx"), model("resnet18", "pytorch"));
  private final LaneCoverage coverage = new LaneCoverage(MODELS, 1);

  @Test
  void saysThatThereIsNoExecutor() {
    assertThat(coverage.missing()).containsExactly("shard 0 has no executor");
  }

  @Test
  void isComplete_whenOneExecutorRunsAll() {
    coverage.reported(0, report("a", false, "vit/onnx/fp32", "resnet18/pytorch/fp32"));
    assertThat(coverage.missing()).isEmpty();
  }

  @Test
  void isComplete_whenSeveralExecutorsRunAllTogether() {
    coverage.reported(0, report("a", false, "vit/onnx/fp32"));
    coverage.reported(0, report("b", false, "resnet18/pytorch/fp32"));
    assertThat(coverage.missing()).isEmpty();
  }

  @Test
  void namesWhatIsMissing() {
    coverage.reported(0, report("b", false, "vit/pytorch/fp32"));
    coverage.reported(0, report("a", false, "resnet18/pytorch/fp32", "vit/onnx/bf16"));
    assertThat(coverage.missing())
        .containsExactly("shard 0 has no lane for vit on onnx in fp32 (executors: a, b)");
  }

  @Test
  void countsNoExecutorThatLeft() {
    coverage.reported(0, report("a", false, "vit/onnx/fp32", "resnet18/pytorch/fp32"));
    coverage.reported(0, report("a", true, "vit/onnx/fp32", "resnet18/pytorch/fp32"));
    assertThat(coverage.missing()).hasSize(2);
  }

  @Test
  void asksForEachShard() {
    var two = new LaneCoverage(MODELS, 2);
    two.reported(1, report("a", false, "vit/onnx/fp32", "resnet18/pytorch/fp32"));
    assertThat(two.missing()).containsExactly("shard 0 has no executor");
  }

  private static ModelKey model(String workload, String backend) {
    return new ModelKey(workload, backend, "fp32");
  }

  private static ExecutorReported report(String id, boolean leaving, String... models) {
    List<Capability> capabilities =
        Arrays.stream(models)
            .map(model -> List.of(model.split("/", -1)))
            .map(part -> new Capability(part.get(0), part.get(1), part.get(2), 1, List.of()))
            .toList();
    return new ExecutorReported(
        id, 1, leaving, "cpu", null, List.of(new Lane(0, List.of())), capabilities, 0, null, null);
  }
}
