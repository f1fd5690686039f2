package dev.sluice.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.harness.kafka.EmbeddedBroker;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A disk that fills while a run writes: two lines that say it, exit 1, a folder marked failed. */
@Tag("slow")
final class FullDiskTest {
  private static final long KIB = 1024;

  @TempDir private Path folder;

  @Test
  void isSaid_whenTheEmbeddedBrokerFillsIt() throws Exception {
    try (var disk = SmallDisk.mount(folder.resolve("disk"), 1500 * KIB);
        var run = run(disk, "run", List.of("--set", "duration_seconds=600"))) {
      assertThat(run.exitStatus()).as(run.screen().text()).isEqualTo(1);
      assertThat(run.screen().text())
          .contains("warning: this run needs about ")
          .contains("sluice: error: the run failed: the disk of its folder is full (")
          .contains(disk.folder() + "/results: ")
          .contains(" bytes are free, and the run needs about ")
          .contains("  Maybe make room there, or name a folder on another disk: --results DIR.")
          .doesNotContain("Exception", "\tat ");
      assertIsFailed(disk);
    }
  }

  @Test
  void isSaid_whenTheRowsFillIt() throws Exception {
    try (var broker = EmbeddedBroker.start(folder.resolve("broker"));
        var disk = SmallDisk.mount(folder.resolve("disk"), 64 * KIB);
        var run =
            run(
                disk,
                "run",
                List.of("--set", "duration_seconds=5", "--bootstrap", broker.bootstrapServers()))) {
      assertThat(run.exitStatus()).as(run.screen().text()).isEqualTo(1);
      assertThat(run.screen().text())
          .contains("sluice: error: the run failed: the disk of its folder is full (")
          .contains("Maybe make room there")
          .doesNotContain("Exception", "\tat ");
      assertIsFailed(disk);
    }
  }

  @Test
  void isSaid_whenASimulationFillsIt() throws Exception {
    try (var disk = SmallDisk.mount(folder.resolve("disk"), 64 * KIB);
        var run = run(disk, "simulate", List.of("--set", "duration_seconds=20"))) {
      assertThat(run.exitStatus()).as(run.screen().text()).isEqualTo(1);
      assertThat(run.screen().text())
          .contains("warning: this run needs about ")
          .contains("sluice: error: the run failed: the disk of its folder is full (")
          .contains("Maybe make room there")
          .doesNotContain("Exception", "\tat ");
      assertIsFailed(disk);
    }
  }

  private SluiceProcess run(SmallDisk disk, String command, List<String> options) throws Exception {
    List<String> arguments =
        new ArrayList<>(
            List.of(
                command,
                new Loop(folder, null).write(Loop.EMULATED).toString(),
                "--results",
                disk.folder().resolve("results").toString(),
                "--run-id",
                "filling"));
    arguments.addAll(options);
    return SluiceProcess.piped(arguments);
  }

  private static void assertIsFailed(SmallDisk disk) throws Exception {
    try (var left = Files.list(disk.folder().resolve("results"))) {
      assertThat(left.map(path -> path.getFileName().toString())).containsExactly("filling.failed");
    }
    assertThat(disk.folder().resolve("results/filling.failed/temporary")).doesNotExist();
  }
}
