package dev.sluice.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.cli.Loop.Ended;
import dev.sluice.harness.frame.ExitStatus;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A whole run with a learned model: published, used, and fitted again beside it. */
@Tag("slow")
@Timeout(600)
final class LearnedRunTest {
  /** A better table, and a later fit: until then jobs came that the table was asked for. */
  private static final Pattern LEARNED =
      Pattern.compile("published table 2 .* fitted to ", Pattern.DOTALL);

  /** Fitting has the least priority, and may wait long for a processor. */
  private static final Duration LIMIT = Duration.ofSeconds(400);

  @TempDir private Path folder;

  @Test
  void usesTheModel_learnsFromTheRun_andPublishesWhatIsBetter() throws Exception {
    Path model = folder.resolve("model");
    LinearProfile.train(LinearProfile.KIND, 4, model);
    Ended run = stoppedWhenLearned(new Loop(folder, null), model);
    assertThat(run.text().replaceAll("\\s+", " "))
        .contains("predictor model ")
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

  private static Ended stoppedWhenLearned(Loop loop, Path model) throws Exception {
    Path log = loop.results().resolve("learned.running").resolve("run.log");
    List<String> command = new ArrayList<>(List.of("run", loop.write(Loop.EMULATED).toString()));
    command.addAll(List.of("--set", "predictor.enabled=true"));
    command.addAll(List.of("--set", "predictor.model_path=" + model));
    command.addAll(List.of("--set", "predictor.retrain_seconds=1"));
    command.addAll(List.of("--set", "duration_seconds=600"));
    command.addAll(List.of("--run-id", "learned", "--results", loop.results().toString()));
    try (var process = SluiceProcess.piped(command);
        var tail = SluiceProcess.of("tail", "-n", "+1", "-F", log.toString())) {
      tail.screen().await(LEARNED, LIMIT);
      process.signal("INT");
      assertThat(process.exitStatus()).as(process.screen().text()).isEqualTo(ExitStatus.STOPPED);
      return new Ended(
          ExitStatus.STOPPED, loop.results().resolve("learned"), process.screen().text());
    }
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
