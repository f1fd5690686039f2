package dev.sluice.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sluice.harness.machine.Console;
import dev.sluice.harness.run.RepeatedRun;
import dev.sluice.harness.run.RunSettings;
import dev.sluice.producer.arrivals.RepeatSeeds;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** {@code run --repeat N}: real runs, each in a process of its own. */
@Tag("slow")
@Timeout(300)
final class RepeatedRunTest {
  @TempDir private Path folder;
  private final Screen screen = new Screen();

  private RepeatedRun twice(Loop loop, String bootstrap) throws IOException {
    var options =
        new RunSettings(
            loop.write(Loop.EMULATED),
            List.of(),
            new RunSettings.Output(loop.results(), false, false, null),
            bootstrap,
            "twice",
            null,
            false,
            false,
            RunSettings.Watching.NOBODY);
    return new RepeatedRun(options, false, 2, new Console(screen.stream(), false));
  }

  @Test
  void leavesAFolderOfEachRun_andOneFigureOverAll() throws Exception {
    var loop = new Loop(folder, null);
    int status = twice(loop, null).execute();
    new Loop.Ended(status, folder, screen.text()).assertWhole();
    assertThat(loop.left()).containsExactly("twice");
    Path all = loop.results().resolve("twice");
    JsonNode summary = new ObjectMapper().readTree(all.resolve("summary.json").toFile());
    assertThat(summary.path("repeats").intValue()).isEqualTo(2);
    double sum = 0;
    for (int repeat = 1; repeat <= 2; repeat++) {
      Path run = all.resolve("twice-" + repeat);
      assertThat(Files.readString(run.resolve("config.yaml")))
          .contains("\nseed: " + RepeatSeeds.of(7, repeat) + "\n");
      sum +=
          new ObjectMapper()
              .readTree(run.resolve("summary.json").toFile())
              .path("all_count")
              .doubleValue();
    }
    JsonNode count = summary.path("figures").path("all_count");
    assertThat(count.path("mean").doubleValue()).isEqualTo(sum / 2);
    assertThat(count.path("low").doubleValue()).isLessThanOrEqualTo(sum / 2);
    assertThat(Files.readAllLines(all.resolve("repeats.csv"))).hasSize(3);
    assertThat(screen.text()).contains("Repeat 2 of 2").contains("all_p99_e2e_ms");
  }

  @Test
  void aRunThatFails_leavesNoFolderThatLooksFinished() throws Exception {
    var loop = new Loop(folder, null);
    assertThat(twice(loop, "127.0.0.1:1").execute()).isNotZero();
    assertThat(loop.left()).containsExactly("twice.failed");
    assertThat(screen.text()).contains("Repeat 1 failed").doesNotContain("Repeat 2 of");
  }
}
