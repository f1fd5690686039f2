package dev.sluice.executor.model;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.contract.value.ModelKey;
import dev.sluice.executor.network.Workloads;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Real inference with every built-in workload, in both engines. */
@Tag("slow")
final class RealModelsTest {
  static List<String> names() {
    return Workloads.names();
  }

  @ParameterizedTest
  @MethodSource("names")
  void bothEnginesGiveTheSameLogits(String workload) throws Exception {
    List<JobInput> jobs = TestModels.jobs(2, 2);
    try (LoadedModels models = TestModels.load(workload, "pytorch", "onnx");
        InferenceSession pytorch = TestModels.session(models, workload, "pytorch");
        InferenceSession onnx = TestModels.session(models, workload, "onnx")) {
      float[][] logits = pytorch.infer(jobs);

      assertThat(logits).hasDimensions(4, 1000);
      TestModels.assertAgree(logits, onnx.infer(jobs));
    }
  }

  @ParameterizedTest
  @CsvSource({"resnet18,pytorch", "resnet18,onnx", "vit_tiny,pytorch", "vit_tiny,onnx"})
  void aJobsLogitsDoNotDependOnWhoSharedItsBatch(String workload, String backend) throws Exception {
    JobInput job = JobInput.make(42, "the-job", 2, 3 * 224 * 224);
    List<JobInput> others = TestModels.jobs(3, 1);
    try (LoadedModels models = TestModels.load(workload, backend);
        InferenceSession session = TestModels.session(models, workload, backend)) {
      float[][] alone = session.infer(List.of(job));
      float[][] first = session.infer(List.of(job, others.get(0)));
      float[][] last = session.infer(List.of(others.get(0), others.get(1), others.get(2), job));

      TestModels.assertAgree(alone, new float[][] {first[0], first[1]});
      TestModels.assertAgree(alone, new float[][] {last[3], last[4]});
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"pytorch", "onnx"})
  void theSessionsOfALane_shareOneBuffer(String backend) throws Exception {
    var buffer = new InputBuffer();
    List<JobInput> four = TestModels.jobs(1, 4);
    List<JobInput> one = TestModels.jobs(1, 1);
    try (LoadedModels tiny = TestModels.load("vit_tiny", backend);
        LoadedModels resnet = TestModels.load("resnet18", backend);
        InferenceSession own = TestModels.session(tiny, "vit_tiny", backend);
        InferenceSession shared =
            tiny.openSession(new ModelKey("vit_tiny", backend, "fp32"), 0, buffer);
        InferenceSession other =
            resnet.openSession(new ModelKey("resnet18", backend, "fp32"), 0, buffer)) {
      float[][] expected = own.infer(one);

      other.infer(four);
      assertThat(shared.infer(one)).isDeepEqualTo(expected);
      other.infer(one);
      assertThat(shared.infer(one)).isDeepEqualTo(expected);
      assertThat(buffer.cleared(0).capacity()).isEqualTo(4 * 4 * 3 * 224 * 224);
    }
  }

  @ParameterizedTest
  @MethodSource("names")
  void logitsSpread_andTheLikeliestClassDependsOnTheInput(String workload) throws Exception {
    try (LoadedModels models = TestModels.load(workload, "onnx");
        InferenceSession session = TestModels.session(models, workload, "onnx")) {
      float[][] logits = session.infer(TestModels.jobs(8, 1));

      var likeliest = new HashSet<Integer>();
      for (float[] row : logits) {
        likeliest.add(PrecisionModelsTest.likeliest(row));
      }
      assertThat(likeliest).hasSizeGreaterThanOrEqualTo(5);
      assertThat(deviation(logits)).isBetween(0.5, 2.0);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"pytorch", "onnx"})
  void lanesThatRunAtTheSameTimeGetTheirOwnLogits(String backend) throws Exception {
    List<JobInput> jobs = TestModels.jobs(8, 1);
    var pool = Executors.newFixedThreadPool(4);
    try (LoadedModels models = TestModels.load("vit_tiny", backend)) {
      var alone = new ArrayList<float[][]>();
      try (InferenceSession session = TestModels.session(models, "vit_tiny", backend)) {
        for (JobInput job : jobs) {
          alone.add(session.infer(List.of(job)));
        }
      }
      Callable<List<float[][]>> lane =
          () -> {
            var rows = new ArrayList<float[][]>();
            try (InferenceSession session = TestModels.session(models, "vit_tiny", backend)) {
              for (JobInput job : jobs) {
                rows.add(session.infer(List.of(job)));
              }
            }
            return rows;
          };
      for (Future<List<float[][]>> rows : pool.invokeAll(List.of(lane, lane, lane, lane))) {
        for (int i = 0; i < jobs.size(); i++) {
          TestModels.assertAgree(alone.get(i), rows.get().get(i));
        }
      }
    } finally {
      pool.shutdown();
    }
  }

  private static double deviation(float[][] rows) {
    double sum = 0;
    double squares = 0;
    int count = 0;
    for (float[] row : rows) {
      for (float logit : row) {
        sum += logit;
        squares += (double) logit * logit;
        count++;
      }
    }
    return Math.sqrt(squares / count - (sum / count) * (sum / count));
  }
}
