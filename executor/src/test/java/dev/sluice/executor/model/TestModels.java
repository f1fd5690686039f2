package dev.sluice.executor.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.sluice.contract.file.UserMistakeException;
import dev.sluice.contract.value.ModelKey;
import dev.sluice.executor.model.LoadedModels.ModelRequest;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** The model files that the tests share: written once for each clean build, into target/. */
final class TestModels {
  static final ModelCache CACHE = new ModelCache(Path.of("target", "test-model-cache"));

  private static final double TOLERANCE = 1e-4;

  static final List<String> BACKENDS = List.of("pytorch", "onnx");

  private TestModels() {}

  static Engines engines() throws UserMistakeException {
    return Engines.prepare(1, CACHE);
  }

  static Path file(String workload, String backend) throws UserMistakeException {
    return CACHE.file(new ModelKey(workload, backend, "fp32"), ModelProgress.none());
  }

  static LoadedModels load(String workload, String... backends) throws UserMistakeException {
    var requests = new ArrayList<ModelRequest>();
    for (String backend : backends) {
      requests.add(new ModelRequest(new ModelKey(workload, backend, "fp32"), null));
    }
    return load(requests);
  }

  static LoadedModels load(List<ModelRequest> requests) throws UserMistakeException {
    return LoadedModels.load(
        requests, engines(), Devices.processor(BACKENDS), CACHE, ModelProgress.none());
  }

  static InferenceSession session(LoadedModels models, String workload, String backend) {
    return models.openSession(new ModelKey(workload, backend, "fp32"), 0, new InputBuffer());
  }

  static List<JobInput> jobs(int count, int samples) {
    var jobs = new ArrayList<JobInput>();
    for (int i = 0; i < count; i++) {
      jobs.add(JobInput.make(42, "g0-" + i, samples, 3 * 224 * 224));
    }
    return jobs;
  }

  /**
   * Rows of logits agree where no difference exceeds 1e-4 of the row's largest logit: a logit near
   * 0 has no relative error of its own.
   */
  static void assertAgree(float[][] expected, float[][] actual) {
    assertThat(actual).hasSameDimensionsAs(expected);
    for (int row = 0; row < expected.length; row++) {
      double largest = 0;
      for (float logit : expected[row]) {
        largest = Math.max(largest, Math.abs(logit));
      }
      assertThat(largest).isPositive();
      for (int c = 0; c < expected[row].length; c++) {
        assertThat((double) actual[row][c])
            .as("row %d, class %d", row, c)
            .isCloseTo(expected[row][c], within(TOLERANCE * largest));
      }
    }
  }
}
