package dev.sluice.harness.frame;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.contract.experiment.ExperimentFile;
import dev.sluice.contract.experiment.ParsedExperiment;
import dev.sluice.contract.experiment.ResolvedConfig;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Statuses of several runs, and a run's config.yaml that runs again from where it lies. */
final class ExperimentFilesTest {
  @TempDir private Path folder;

  @Test
  void theWorstOfSeveralRuns_isTheFailedOne_thenTheInconclusive_thenTheMissed() {
    assertThat(ExitStatus.worst(ExitStatus.BUG, ExitStatus.INCONCLUSIVE)).isEqualTo(1);
    assertThat(ExitStatus.worst(ExitStatus.MISSED, ExitStatus.INCONCLUSIVE)).isEqualTo(4);
    assertThat(ExitStatus.worst(ExitStatus.MISSED, ExitStatus.DONE)).isEqualTo(3);
  }

  @Test
  void aRunsConfig_findsItsFiles_andTellsOfThoseThatChanged() throws Exception {
    Path configs = Files.createDirectories(folder.resolve("configs"));
    Path table = Files.writeString(configs.resolve("t.csv"), "a table");
    Path config =
        Files.writeString(
            configs.resolve("x.yaml"),
            """
            duration_seconds: 20
            arrival_rate_jobs_per_sec: 10
            lanes: {kind: emulated, latency_table: t.csv}
            """);
    ParsedExperiment first = ExperimentFile.read(config, List.of(), Registries.vocabulary());
    Path run = Files.createDirectories(folder.resolve("results/x.running"));
    Files.writeString(
        run.resolve("config.yaml"),
        ResolvedConfig.write(first.experiment())
            + "recorded:\n"
            + ExperimentFiles.toYaml(first, run));
    Path finished = Files.move(run, folder.resolve("results/x"));

    ParsedExperiment again =
        ExperimentFile.read(finished.resolve("config.yaml"), List.of(), Registries.vocabulary());
    assertThat(again.resolve("t.csv")).isEqualTo(table);
    assertThat(ResolvedConfig.digest(again.experiment()))
        .isEqualTo(ResolvedConfig.digest(first.experiment()));
    assertThat(ExperimentFiles.changed(again)).isEmpty();
    Files.writeString(table, "another table");
    assertThat(ExperimentFiles.changed(again))
        .singleElement()
        .asString()
        .contains("lanes.latency_table")
        .contains("is not what it was when this run was recorded");
  }

  @Test
  void aRunOfASeries_namesTheFolderThatAFailedSeriesHas() throws Exception {
    Path series = Files.createDirectories(folder.resolve("s.running"));
    try (var run = RunFolder.create(series, "s-2")) {
      assertThat(run.isInSeries()).isTrue();
      assertThat(run.failedPath()).isEqualTo(folder.resolve("s.failed/s-2.failed"));
      run.discard();
    }
    try (var run = RunFolder.create(folder, "alone")) {
      assertThat(run.isInSeries()).isFalse();
      run.discard();
    }
  }
}
