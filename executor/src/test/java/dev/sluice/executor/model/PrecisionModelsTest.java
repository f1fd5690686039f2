package dev.sluice.executor.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.sluice.contract.value.ModelKey;
import dev.sluice.executor.model.LoadedModels.ModelRequest;
import dev.sluice.executor.network.Network;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Real inference in half precision, against the same weights in float32. A difference counts as a
 * share of its row's largest logit; measured were up to 0.014 in fp16 and up to 0.13 in bf16, at
 * root mean squares of 0.003 and 0.027.
 */
@Tag("slow")
final class PrecisionModelsTest {
  @ParameterizedTest
  @CsvSource({
    "resnet18, pytorch, bf16, 8",
    "resnet50, pytorch, bf16, 4",
    "vit, pytorch, bf16, 2",
    "vit_tiny, pytorch, bf16, 16",
    "resnet18, pytorch, fp16, 1",
    "vit_tiny, pytorch, fp16, 2",
    "resnet18, onnx, fp16, 8",
    "resnet50, onnx, fp16, 2",
    "vit, onnx, fp16, 1",
    "vit_tiny, onnx, fp16, 16"
  })
  void logitsAreThoseOfFp32_butForTheRounding(
      String workload, String backend, String precision, int jobs) throws Exception {
    double tolerance = precision.equals("fp16") ? 0.05 : 0.25;
    List<JobInput> inputs = TestModels.jobs(jobs, 1);
    List<ModelRequest> requests =
        List.of(
            new ModelRequest(new ModelKey(workload, backend, "fp32"), null),
            new ModelRequest(new ModelKey(workload, backend, precision), null));
    try (LoadedModels models = TestModels.load(requests);
        InferenceSession full = TestModels.session(models, workload, backend);
        InferenceSession half =
            models.openSession(new ModelKey(workload, backend, precision), 0, new InputBuffer())) {
      float[][] expected = full.infer(inputs);
      float[][] actual = half.infer(inputs);

      assertThat(actual).hasDimensions(jobs, Network.CLASSES);
      int sameClass = 0;
      double squares = 0;
      for (int row = 0; row < jobs; row++) {
        double largest = largest(expected[row]);
        for (int c = 0; c < Network.CLASSES; c++) {
          assertThat((double) actual[row][c])
              .as("row %d, class %d", row, c)
              .isCloseTo(expected[row][c], within(tolerance * largest));
          squares += Math.pow((actual[row][c] - expected[row][c]) / largest, 2);
        }
        sameClass += likeliest(expected[row]) == likeliest(actual[row]) ? 1 : 0;
      }
      assertThat(Math.sqrt(squares / jobs / Network.CLASSES))
          .as("root mean square; 0 would be float32 under another name")
          .isBetween(1e-5, tolerance / 5);
      assertThat(sameClass).as("of %d jobs", jobs).isGreaterThan(jobs / 2);
    }
  }

  static int likeliest(float[] logits) {
    int likeliest = 0;
    for (int c = 1; c < logits.length; c++) {
      likeliest = logits[c] > logits[likeliest] ? c : likeliest;
    }
    return likeliest;
  }

  private static double largest(float[] logits) {
    double largest = 0;
    for (float logit : logits) {
      largest = Math.max(largest, Math.abs(logit));
    }
    return largest;
  }
}
