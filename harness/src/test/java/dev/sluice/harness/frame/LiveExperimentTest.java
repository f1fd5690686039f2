package dev.sluice.harness.frame;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.contract.experiment.ExperimentFile;
import dev.sluice.contract.experiment.ParsedExperiment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Lanes × threads beside the processors of a machine. */
final class LiveExperimentTest {
  @TempDir private Path folder;

  @Test
  void warnsOfLanesThatWantMoreProcessorsThanThereAre_withTheLineOfTheirNumber() throws Exception {
    ParsedExperiment three = parsed("num_lanes: 3", "threads: 2");
    assertThat(LiveExperiment.warning(three, 1, 6)).isNull();
    assertThat(LiveExperiment.warning(three, 1, 5))
        .endsWith(
            "x.yaml:4: warning: 3 lanes of 2 threads each want 6 processors, and there are 5: they"
                + " will slow each other and the generators down.");
    assertThat(LiveExperiment.warning(three, 2, 6)).contains("6 lanes of 2 threads each want 12 ");
    assertThat(LiveExperiment.warning(parsed("num_lanes: 3"), 1, 2))
        .contains("3 lanes of 1 thread each want 3 processors, and there are 2");
  }

  @Test
  void lanesThatDoNotCompute_wantNone() throws Exception {
    assertThat(
            LiveExperiment.warning(
                parsed("num_lanes: 3", "kind: emulated", "latency_table: t.csv"), 1, 1))
        .isNull();
    assertThat(LiveExperiment.warning(parsed("num_lanes: 3", "device: cuda"), 1, 1)).isNull();
  }

  private ParsedExperiment parsed(String... lanes) throws Exception {
    Path file =
        Files.writeString(
            folder.resolve("x.yaml"),
            "duration_seconds: 20\narrival_rate_jobs_per_sec: 10\nlanes:\n  "
                + String.join("\n  ", lanes)
                + "\n");
    return ExperimentFile.read(file, List.of(), Registries.vocabulary());
  }
}
