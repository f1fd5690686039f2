package dev.sluice.executor.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.contract.value.ModelKey;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** One real model, the smallest, in each engine. */
@Tag("loop")
final class TinyModelTest {
  @Test
  void bothEnginesGiveTheSameLogits() throws Exception {
    List<JobInput> jobs = TestModels.jobs(2, 2);
    try (LoadedModels models = TestModels.load("vit_tiny", "pytorch", "onnx");
        InferenceSession pytorch = TestModels.session(models, "vit_tiny", "pytorch");
        InferenceSession onnx = TestModels.session(models, "vit_tiny", "onnx")) {
      float[][] logits = pytorch.infer(jobs);

      assertThat(logits).hasDimensions(4, 1000);
      TestModels.assertAgree(logits, onnx.infer(jobs));
    }
  }

  @Test
  void refusesToCloseModels_whenASessionIsOpen() throws Exception {
    LoadedModels models = TestModels.load("vit_tiny", "onnx");
    InferenceSession session = TestModels.session(models, "vit_tiny", "onnx");

    assertThatThrownBy(models::close)
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("1 sessions are open");
    session.close();
    session.close();
    models.close();
  }

  @Test
  void refusesAJobOfAnotherShape_andStaysUsable() throws Exception {
    try (LoadedModels models = TestModels.load("vit_tiny", "pytorch");
        InferenceSession session = TestModels.session(models, "vit_tiny", "pytorch")) {
      var wrong = new JobInput("g0-7", 1, new float[3 * 32 * 32]);

      assertThatThrownBy(() -> session.infer(List.of(wrong)))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("job (g0-7) has (3072) values");
      assertThat(session.infer(TestModels.jobs(1, 1))).hasDimensions(1, 1000);
    }
  }

  @Test
  void refusesAModelThatWasNotLoaded() throws Exception {
    try (LoadedModels models = TestModels.load("vit_tiny", "onnx")) {
      assertThatThrownBy(() -> TestModels.session(models, "vit_tiny", "pytorch"))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("no model (vit_tiny on pytorch in fp32) was loaded");
      assertThatThrownBy(
              () ->
                  models.openSession(
                      new ModelKey("vit_tiny", "onnx", "fp16"), 0, new InputBuffer()))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("no model (vit_tiny on onnx in fp16) was loaded");
    }
  }

  @Test
  void refusesAnotherNumberOfThreads_sincePyTorchReadsItOnce() throws Exception {
    TestModels.load("vit_tiny", "pytorch").close();

    assertThatThrownBy(() -> Engines.prepare(2, TestModels.CACHE))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("threadsPerLane (2) differs from (1)");
  }
}
