package dev.sluice.contract.experiment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.contract.file.UserMistakeException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Classes whose figures would have one name, bounds beyond all numbers, and a run's own config. */
final class SharedFiguresTest {
  private static final Vocabulary VOCABULARY =
      new Vocabulary(
          Vocabularies.KNOWN.schedulers(),
          Vocabularies.KNOWN.arrivals(),
          Map.of("resnet18", 80),
          Map.of(),
          List.of(
              "all_p99_e2e_ms", "all_completed_p99_e2e_ms", "all_count", "prediction_p95_count"));

  private static final String START = "duration_seconds: 20\narrival_rate_jobs_per_sec: 10\n";

  @TempDir private Path folder;

  private ParsedExperiment read(String more) throws IOException, UserMistakeException {
    Path file = Files.createDirectories(folder.resolve("runs/a")).resolve("config.yaml");
    Files.writeString(file, START + more);
    return ExperimentFile.read(file, List.of(), VOCABULARY);
  }

  @Test
  void refusesClasses_thatWouldOverwriteEachOthersFigures() {
    assertThatThrownBy(
            () ->
                read(
                    """
                    classes:
                      interactive: {}
                      batch: {slo_ms: 10}
                      batch_completed: {slo_ms: 10}
                    """))
        .isInstanceOf(UserMistakeException.class)
        .hasMessageContaining(
            "config.yaml:6: error: classes.batch_completed would have the figure"
                + " batch_completed_p99_e2e_ms, as classes.batch has")
        .hasMessageContaining("such as batch-completed");
  }

  @Test
  void refusesAClass_thatWouldOverwriteAFigureOfTheRun() {
    assertThatThrownBy(
            () -> read("classes: {prediction_p95: {slo_ms: 9, interactive: true}, b: {slo_ms: 9}}"))
        .isInstanceOf(UserMistakeException.class)
        .hasMessageContaining("the figure prediction_p95_count, as the whole run has");
  }

  @Test
  void acceptsClasses_whoseFiguresDiffer() throws Exception {
    assertThat(read("classes: {a: {slo_ms: 9, interactive: true}, a_b: {slo_ms: 9}}").warnings())
        .isEmpty();
  }

  @Test
  void refusesABound_thatIsBeyondAllNumbers() {
    assertThatThrownBy(() -> read("thresholds: {all_p99_e2e_ms: '< 1e999'}"))
        .isInstanceOf(UserMistakeException.class)
        .hasMessageContaining(
            "config.yaml:3: error: thresholds.all_p99_e2e_ms (< 1e999) is beyond all numbers");
  }

  @Test
  void refusesAWindow_thatRoundsToNothing() {
    assertThatThrownBy(() -> read("warmup_seconds: 19.9999999999"))
        .isInstanceOf(UserMistakeException.class)
        .hasMessageContaining(
            "warmup_seconds (19.9999999999) must be less than duration_seconds (20) by a"
                + " nanosecond: nothing would be measured");
  }

  @Test
  void countsPathsFromTheFolderOfTheFileThatWasRun_inARunsOwnConfig() throws Exception {
    assertThat(read("").resolve("t.csv")).isEqualTo(folder.resolve("runs/a/t.csv"));
    ParsedExperiment again =
        read(
            """
            recorded:
              paths_from: "../../configs"
              files:
                "lanes.latency_table": {path: "t.csv", sha256: "ab"}
                "simulation.hops": {path: "h.csv", sha256: null}
            """);
    assertThat(again.resolve("t.csv")).isEqualTo(folder.resolve("configs/t.csv"));
    assertThat(again.recordedDigests()).isEqualTo(Map.of("lanes.latency_table", "ab"));
  }
}
