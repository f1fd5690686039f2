package dev.sluice.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.cli.Loop.Ended;
import dev.sluice.executor.latency.LatencyKey;
import dev.sluice.executor.latency.ProfileRow;
import dev.sluice.executor.latency.Trainer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A whole run with a learned model: published, used, and fitted again beside it. */
@Timeout(300)
final class LearnedRunTest {
  /** What an experiment's workloads with alpha_ms and beta_ms are emulated on. */
  private static final String KIND = "emulated-linear";

  @TempDir private Path folder;

  /** Measured when all was half as fast as the run's lanes are. */
  private Path trainedAtHalfSpeed() throws Exception {
    var random = new Random(5);
    List<ProfileRow> rows = new ArrayList<>();
    for (int pass = 1; pass <= 3; pass++) {
      for (String workload : List.of("short", "long")) {
        for (int samples = 1; samples <= 8; samples++) {
          for (int busyLanes = 1; busyLanes <= 2; busyLanes++) {
            for (int repeat = 1; repeat <= 5; repeat++) {
              double ms = workload.equals("short") ? 2 + 0.5 * samples : 6 + samples;
              double noise = Math.exp(0.02 * random.nextGaussian());
              rows.add(
                  new ProfileRow(
                      KIND,
                      new LatencyKey(workload, "onnx", "fp32", 1, samples, busyLanes),
                      pass,
                      repeat,
                      rows.size(),
                      Math.round(2e6 * ms * noise),
                      null,
                      0,
                      0));
            }
          }
        }
      }
    }
    Path model = folder.resolve("model");
    Trainer.train(rows, 1).model().write(model);
    return model;
  }

  @Test
  void usesTheModel_learnsFromTheRun_andPublishesWhatIsBetter() throws Exception {
    Path model = trainedAtHalfSpeed();
    Ended run =
        new Loop(folder, null)
            .run(
                "learned",
                "predictor.enabled=true",
                "predictor.model_path=" + model,
                "predictor.retrain_seconds=1",
                "duration_seconds=12");
    assertThat(run.status()).as(run.text()).isIn(0, 3); // 3: a busy machine made it late
    assertThat(run.text()).contains("predictor      model ");
    List<Map<String, String>> dispatches = run.rows("dispatches.csv");
    List<String> versions =
        dispatches.stream()
            .map(row -> row.get("model_version"))
            .filter(version -> !version.isEmpty())
            .distinct()
            .toList();
    assertThat(versions).as("the model, and at least one fitted again").hasSizeGreaterThan(1);
    assertThat(dispatches.get(0).get("prediction_source")).isEqualTo("published");
    assertThat(run.summary().path("fit_cpu_seconds").doubleValue()).isPositive();
  }

  @Test
  void withoutAModel_beginsColdWithOneWarning() throws Exception {
    Ended run =
        new Loop(folder, null)
            .run(
                "cold",
                "predictor.enabled=true",
                "predictor.model_path=" + folder.resolve("nowhere"),
                "predictor.retrain_seconds=0");
    assertThat(run.status()).as(run.text()).isIn(0, 3);
    assertThat(run.text()).containsOnlyOnce("warning: no model stands at");
    assertThat(run.rows("dispatches.csv"))
        .allMatch(row -> !row.get("prediction_source").equals("published"))
        .anyMatch(row -> row.get("prediction_source").equals("running_mean"));
  }
}
