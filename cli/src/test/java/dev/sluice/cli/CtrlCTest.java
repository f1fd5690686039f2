package dev.sluice.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.cli.Loop.Ended;
import dev.sluice.harness.process.ChildJvm;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Signals to a process of its own, started as the launcher starts it. */
@Tag("slow")
final class CtrlCTest {
  private static final Duration LIMIT = Duration.ofSeconds(90);

  @TempDir private Path folder;
  private Loop loop;
  private Process process;
  private final Screen screen = new Screen();

  @BeforeEach
  void start() throws IOException {
    loop = new Loop(folder, null);
    List<String> command = new ArrayList<>();
    command.addAll(List.of("env", "--default-signal=INT")); // a job in the background ignores it
    command.addAll(
        ChildJvm.sluice(
            List.of("-Dsluice.terminal=true"),
            List.of(
                "run",
                loop.write(Loop.EMULATED).toString(),
                "--set",
                "duration_seconds=600",
                "--run-id",
                "cut",
                "--results",
                loop.results().toString())));
    process = new ProcessBuilder(command).redirectErrorStream(true).start();
    var reader =
        new Thread(
            () -> {
              try (var output = process.getInputStream()) {
                output.transferTo(screen);
              } catch (IOException e) {
                screen.stream().println(e);
              }
            },
            "screen-reader");
    reader.setDaemon(true);
    reader.start();
  }

  @AfterEach
  void endProcess() throws InterruptedException {
    process.destroyForcibly().waitFor();
  }

  @Test
  void endsTheRunWell_withEachJobAccountedFor() throws Exception {
    screen.awaitJobs(LIMIT);
    signal("INT");
    assertThat(exitStatus()).as(screen.text()).isEqualTo(130);
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
    signal("INT");
    assertThat(exitStatus()).as(screen.text()).isEqualTo(130);
    assertThat(loop.left()).isEmpty();
  }

  @Test
  void endsTheProcessAtOnce_onTheSecond_butTakesTheTemporaryFilesAway() throws Exception {
    screen.awaitJobs(LIMIT); // what runs is awaited, so that the second one comes in time
    signal("INT");
    screen.await("Stopping", LIMIT);
    signal("INT");
    assertThat(exitStatus()).as(screen.text()).isEqualTo(130);
    assertThat(loop.left()).containsExactly("cut.running");
    assertThat(loop.results().resolve("cut.running").resolve("temporary")).doesNotExist();
  }

  @Test
  void leavesOnlyAFolderThatLooksUnfinished_whenKilled() throws Exception {
    screen.await(" done ", LIMIT);
    signal("KILL");
    assertThat(exitStatus()).isEqualTo(137);
    assertThat(loop.left()).containsExactly("cut.running");
  }

  private void signal(String name) throws Exception {
    var kill = new ProcessBuilder("kill", "-" + name, Long.toString(process.pid())).start();
    assertThat(kill.waitFor()).isZero();
  }

  private int exitStatus() throws InterruptedException {
    assertThat(process.waitFor(LIMIT.toSeconds(), TimeUnit.SECONDS)).as(screen.text()).isTrue();
    return process.exitValue();
  }
}
