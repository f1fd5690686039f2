package dev.sluice.executor.model;

import dev.sluice.contract.UserMistakeException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** The model files that the tests share: written once for each clean build, into target/. */
final class TestModels {
  static final ModelCache CACHE = new ModelCache(Path.of("target", "test-model-cache"));

  private TestModels() {}

  static Path file(String workload, String backend) throws UserMistakeException {
    return CACHE.file(workload, backend, ModelProgress.none());
  }

  static LoadedModels load(String workload, String... backends) throws UserMistakeException {
    var requests = new ArrayList<ModelRequest>();
    for (String backend : backends) {
      requests.add(new ModelRequest(workload, backend, "fp32", null));
    }
    return LoadedModels.load(requests, 1, CACHE, ModelProgress.none());
  }

  static List<JobInput> jobs(int count, int samples) {
    var jobs = new ArrayList<JobInput>();
    for (int i = 0; i < count; i++) {
      jobs.add(JobInputs.make(42, "g0-" + i, samples, 3 * 224 * 224));
    }
    return jobs;
  }
}
