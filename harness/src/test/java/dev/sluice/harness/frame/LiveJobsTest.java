package dev.sluice.harness.frame;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.contract.experiment.ExperimentFile;
import dev.sluice.contract.experiment.ParsedExperiment;
import dev.sluice.contract.file.UserMistakeException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Jobs that a live run takes, and those that a simulation alone takes. */
final class LiveJobsTest {
  @TempDir private Path folder;

  @Test
  void refusesWhatOnlyASimulationTakes_withTheLineOfItsRate() throws Exception {
    ParsedExperiment most = parsed("duration_seconds: 40", "tail_seconds: 10");
    assertThatCode(() -> LiveJobs.check(most)).doesNotThrowAnyException();
    ParsedExperiment more = parsed("duration_seconds: 40", "tail_seconds: 10.1");
    assertThatThrownBy(() -> LiveJobs.check(more))
        .isInstanceOf(UserMistakeException.class)
        .hasMessageContaining(
            "x.yaml:1: error: a live run of about 50100000 jobs has more than 50000000")
        .hasMessageContaining("./sluice simulate");
  }

  @Test
  void countsNoTailWhereTheScenarioHasNone() throws Exception {
    ParsedExperiment offline =
        parsed("scenario: offline", "duration_seconds: 50", "tail_seconds: 10");
    assertThatCode(() -> LiveJobs.check(offline)).doesNotThrowAnyException();
  }

  private ParsedExperiment parsed(String... lines) throws Exception {
    Path file =
        Files.writeString(
            folder.resolve("x.yaml"),
            "arrival_rate_jobs_per_sec: 1000000\n" + String.join("\n", lines) + "\n");
    return ExperimentFile.read(file, List.of(), Registries.vocabulary());
  }
}
