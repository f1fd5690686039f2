package dev.sluice.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.cli.Loop.Ended;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** {@code run --processes} as a person starts it. */
@Tag("slow")
@Timeout(300)
final class ProcessesRunTest {
  private static final Duration LIMIT = SluiceProcess.LIMIT;
  private static final int CHILDREN = 6; // broker, schedule twice, execute, analyze, produce

  @TempDir private Path folder;
  private Loop loop;
  private SluiceProcess process;
  private Screen screen;

  private void start(String... more) throws IOException {
    loop = new Loop(folder, null);
    List<String> arguments =
        new ArrayList<>(
            List.of(
                "run",
                loop.write(Loop.EMULATED).toString(),
                "--processes",
                "--run-id",
                "apart",
                "--results",
                loop.results().toString()));
    arguments.addAll(Roles.UNHURRIED);
    arguments.addAll(List.of(more));
    process = SluiceProcess.piped(arguments);
    screen = process.screen();
  }

  @AfterEach
  void endProcess() throws InterruptedException {
    process.close();
  }

  @Test
  void isLikeRun_butWithEachRolesOutputInAFileOfItsOwn() throws Exception {
    start("--set", "duration_seconds=3");
    int status = process.exitStatus();
    var run = new Ended(status, loop.results().resolve("apart"), screen.text()).assertWhole();
    assertThat(loop.left()).containsExactly("apart");
    assertThat(screen.text())
        .contains("  sent ")
        .contains("throughput ")
        .contains("Folder    " + run.folder());
    assertThat(run.rows("trace.csv")).hasSizeGreaterThan(200);
    assertThat(run.count("done") + run.count("dropped")).isEqualTo(run.rows("trace.csv").size());
    assertThat(run.count("done")).isPositive();
    assertThat(run.folder())
        .isDirectoryContaining("glob:**config.yaml")
        .isDirectoryContaining("glob:**dispatches.csv")
        .isDirectoryContaining("glob:**summary.json")
        .isDirectoryContaining("glob:**run.log")
        .isDirectoryNotContaining("glob:**temporary")
        .isDirectoryNotContaining("glob:**.lock");
    assertThat(RecordedRunTest.read(run.folder().resolve("log.jsonl.gz")).get("outcomes"))
        .hasSizeGreaterThanOrEqualTo(run.rows("trace.csv").size());
    for (String child : List.of("broker", "schedule-0", "execute-0", "analyze", "produce")) {
      assertThat(run.folder().resolve("logs").resolve(child + ".log")).isNotEmptyFile();
    }
  }

  @Test
  void leavesNoChild_whenKilled() throws Exception {
    start("--set", "duration_seconds=600");
    screen.await(" done ", LIMIT);
    List<ProcessHandle> children = process.handle().descendants().toList();
    assertThat(children).hasSizeGreaterThanOrEqualTo(CHILDREN);
    process.signal("KILL");
    assertThat(process.exitStatus()).isEqualTo(137);
    for (ProcessHandle child : children) {
      child.onExit().get(LIMIT.toSeconds(), TimeUnit.SECONDS);
    }
    assertThat(loop.left()).containsExactly("apart.running");
  }

  @Test
  void endsTheRunWell_onCtrlC() throws Exception {
    start("--set", "duration_seconds=600");
    screen.await(" done ", LIMIT);
    List<ProcessHandle> children = process.handle().descendants().toList();
    // A terminal sends it to all of its processes; only the parent may heed it.
    for (ProcessHandle each : children) {
      SluiceProcess.signal(each, "INT");
    }
    process.signal("INT");
    assertThat(process.exitStatus()).as(screen.text()).isEqualTo(130);
    assertThat(children).noneMatch(ProcessHandle::isAlive);
    assertThat(loop.left()).containsExactly("apart");
    var run = new Ended(130, loop.results().resolve("apart"), screen.text());
    assertThat(run.summary().path("interrupted").asBoolean()).isTrue();
    assertThat(run.count("done") + run.count("dropped")).isEqualTo(run.rows("trace.csv").size());
    assertThat(Files.exists(run.folder().resolve("logs"))).isTrue();
  }
}
