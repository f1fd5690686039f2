package dev.sluice.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.cli.Loop.Ended;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Signals to a process of its own, started as the launcher starts it. */
@Tag("slow")
final class CtrlCTest {
  private static final Duration LIMIT = SluiceProcess.LIMIT;

  @TempDir private Path folder;
  private Loop loop;
  private SluiceProcess process;
  private Screen screen;

  @BeforeEach
  void start() throws IOException {
    loop = new Loop(folder, null);
    process =
        SluiceProcess.onTerminal(
            "run",
            loop.write(Loop.EMULATED).toString(),
            "--set",
            "duration_seconds=600",
            "--run-id",
            "cut",
            "--results",
            loop.results().toString());
    screen = process.screen();
  }

  @AfterEach
  void endProcess() throws InterruptedException {
    process.close();
  }

  @Test
  void endsTheRunWell_withEachJobAccountedFor() throws Exception {
    screen.awaitJobs(LIMIT);
    process.signal("INT");
    assertThat(process.exitStatus()).as(screen.text()).isEqualTo(130);
    assertThat(loop.left()).containsExactly("cut");
    var run = new Ended(130, loop.results().resolve("cut"), screen.text());
    assertThat(run.folder().resolve("temporary")).doesNotExist();
    assertThat(run.summary().path("interrupted").asBoolean()).isTrue();
    assertThat(run.summary().path("not_comparable")).isNotEmpty();
    assertThat(run.rows("trace.csv")).isNotEmpty();
    assertThat(run.count("done") + run.count("dropped")).isEqualTo(run.rows("trace.csv").size());
  }

  @Test
  void leavesNoFolder_whenItComesWhileTheRunStarts() throws Exception {
    screen.await("run cut", LIMIT);
    process.signal("INT");
    assertThat(process.exitStatus()).as(screen.text()).isEqualTo(130);
    assertThat(loop.left()).isEmpty();
  }

  @Test
  void endsTheProcessAtOnce_onTheSecond_butTakesTheTemporaryFilesAway() throws Exception {
    screen.awaitJobs(LIMIT); // what runs is awaited, so that the second one comes in time
    process.signal("INT");
    screen.await("Stopping", LIMIT);
    process.signal("INT");
    assertThat(process.exitStatus()).as(screen.text()).isEqualTo(130);
    assertThat(loop.left()).containsExactly("cut.running");
    assertThat(loop.results().resolve("cut.running").resolve("temporary")).doesNotExist();
  }

  @Test
  void leavesOnlyAFolderThatLooksUnfinished_whenKilled() throws Exception {
    screen.await(" done ", LIMIT);
    process.signal("KILL");
    assertThat(process.exitStatus()).isEqualTo(137);
    assertThat(loop.left()).containsExactly("cut.running");
  }
}
