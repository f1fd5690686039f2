package dev.sluice.sweep.workspace;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.harness.frame.ExitStatus;
import dev.sluice.harness.machine.Console;
import dev.sluice.harness.machine.Posix;
import dev.sluice.sweep.workspace.WorkspaceRuns.Mode;
import java.io.ByteArrayOutputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The table of a workspace's queue, drawn anew while tasks run. */
@Timeout(600)
final class QueueStatusTest {
  private static final String CLEAR_SCREEN = "\u001b[H\u001b[2J";

  @TempDir private Path folder;
  private Path go;
  private final Screen screen = new Screen();

  /** What was printed, and a way to wait for words on it. */
  private static final class Screen extends OutputStream {
    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();

    Console console(boolean terminal) {
      return new Console(new PrintStream(this, true, StandardCharsets.UTF_8), terminal);
    }

    @Override
    public synchronized void write(int b) {
      bytes.write(b);
      notifyAll();
    }

    synchronized String text() {
      return bytes.toString(StandardCharsets.UTF_8);
    }

    /** Waits for words; the test's own limit ends a wait in vain. */
    synchronized void await(String words) throws InterruptedException {
      while (!text().contains(words)) {
        wait();
      }
    }
  }

  @BeforeEach
  void makeWorkspace() throws Exception {
    go = folder.resolve("go");
    Posix.makeFifo(go);
    Files.createDirectory(folder.resolve("configs"));
    Files.writeString(
        folder.resolve("scheduler_config.yml"),
        "task_name: exp\npython_env: /bin/sh\nscript_path: train.sh\nlog_dir: logs\ntmux: false\n");
    Files.writeString(folder.resolve("train.sh"), "echo it trains; read -r line <go; . \"$2\"\n");
    Files.writeString(folder.resolve("configs/a.yml"), "exit 0\n");
  }

  private Workspace open() throws Exception {
    return Workspace.open(folder.resolve("scheduler_config.yml"), folder);
  }

  private FutureTask<Integer> start(Console console) throws Exception {
    var run = new WorkspaceRuns(open(), console);
    var end = new FutureTask<>(() -> run.start(null, null, Mode.FOREGROUND));
    new Thread(end, "start").start();
    return end;
  }

  private void letItEnd() throws Exception {
    Files.writeString(go, "go\n", StandardOpenOption.WRITE);
  }

  @Test
  void aQueueInWhichNothingRuns_isDrawnOnce() throws Exception {
    assertThat(QueueStatus.until(open(), screen.console(false))).isZero();
    assertThat(screen.text().lines())
        .containsExactly("exp: no scheduler runs", "waiting 0, running 0, done 0, failed 0");
  }

  @Test
  @Tag("loop")
  void aTerminalIsDrawnAnew_untilNothingRuns() throws Exception {
    var foreground = new Screen();
    FutureTask<Integer> end = start(foreground.console(true));
    foreground.await(" | it trains");
    var watch = new FutureTask<>(() -> QueueStatus.until(open(), screen.console(true)));
    new Thread(watch, "watch").start();
    screen.await("running 1, ");
    letItEnd();
    assertThat(end.get()).isZero();
    assertThat(watch.get()).isZero();
    assertThat(screen.text()).startsWith(CLEAR_SCREEN + "exp: the scheduler runs (pid ");
    assertThat(screen.text().substring(screen.text().lastIndexOf(CLEAR_SCREEN)))
        .contains("waiting 0, running 0, done 1, failed 0");
  }

  @Test
  @Tag("loop")
  void startInTheForeground_staysWithTheTable_andFillsTheSchedulersLog() throws Exception {
    Files.writeString(folder.resolve("configs/a.yml"), "exit 9\n");
    FutureTask<Integer> end = start(screen.console(true));
    screen.await(" | it trains");
    assertThat(screen.text()).contains(CLEAR_SCREEN, "exp: the scheduler runs (pid ");
    letItEnd();
    assertThat(end.get()).isEqualTo(ExitStatus.FAULTS);
    assertThat(screen.text().substring(screen.text().lastIndexOf(CLEAR_SCREEN)))
        .contains("exp: no scheduler runs", "done 0, failed 1", "exit status 9")
        .doesNotContain("task (a)");
    assertThat(Files.readAllLines(folder.resolve("logs/exp_scheduler.log")))
        .satisfiesExactly(
            line -> assertThat(line).endsWith(" scheduler of " + open().queue().folder()),
            line -> assertThat(line).endsWith(" queued: 1 of 1 asked"),
            line -> assertThat(line).contains(" task (a) has failed: exit status 9"),
            line -> assertThat(line).endsWith(" ended, status 5"));
  }
}
