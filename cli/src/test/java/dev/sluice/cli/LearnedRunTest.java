package dev.sluice.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.cli.Loop.Ended;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A whole run with a learned model: published, used, and fitted again beside it. */
@Tag("slow")
@Timeout(300)
final class LearnedRunTest {
  @TempDir private Path folder;

  @Test
  void usesTheModel_learnsFromTheRun_andPublishesWhatIsBetter() throws Exception {
    Path model = folder.resolve("model");
    LinearProfile.train(LinearProfile.KIND, 2, model);
    Ended run =
        new Loop(folder, null)
            .run(
                "learned",
                "predictor.enabled=true",
                "predictor.model_path=" + model,
                "predictor.retrain_seconds=1",
                "duration_seconds=12");
    run.assertWhole();
    assertThat(run.text())
        .contains("predictor      model ")
        .contains("warning: " + LinearProfile.WARNING);
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
    run.assertWhole();
    assertThat(run.text()).containsOnlyOnce("warning: no model stands at");
    assertThat(run.rows("dispatches.csv"))
        .allMatch(row -> !row.get("prediction_source").equals("published"))
        .anyMatch(row -> row.get("prediction_source").equals("running_mean"));
  }
}
