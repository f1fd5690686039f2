package dev.sluice.executor.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.contract.value.ModelKey;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Real models that are loaded, run, released, and loaded again. */
@Tag("slow")
final class ModelShelfTest {
  @ParameterizedTest
  @ValueSource(strings = {"pytorch", "onnx"})
  void aModelThatWasReleased_saysTheSameWhenItIsLoadedAgain(String backend) throws Exception {
    var mine = new ModelKey("mine", backend, "fp32");
    ModelShelf shelf =
        ModelShelf.of(
            Map.of(mine, new ModelKey("vit_tiny", backend, "fp32")),
            TestModels.engines(),
            Devices.processor(List.of(backend)),
            TestModels.CACHE,
            ModelProgress.none());
    List<JobInput> jobs = TestModels.jobs(1, 1);
    InferenceSession session = shelf.openSession(mine, 0, new InputBuffer());
    float[][] first = session.infer(jobs);
    session.close();
    assertThatThrownBy(() -> session.infer(jobs)).hasMessageContaining("closed");
    try (InferenceSession again = shelf.openSession(mine, 1, new InputBuffer())) {
      assertThat(again.infer(jobs)).isDeepEqualTo(first);
    }
    assertThat(shelf.info(mine).name()).isEqualTo("vit_tiny");
    assertThatThrownBy(
            () -> shelf.openSession(new ModelKey("yours", backend, "fp32"), 0, new InputBuffer()))
        .hasMessageContaining("yours");
  }
}
