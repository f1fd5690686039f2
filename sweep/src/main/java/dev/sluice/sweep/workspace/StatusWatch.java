package dev.sluice.sweep.workspace;

import dev.sluice.contract.file.UserMistakeException;
import dev.sluice.harness.machine.Console;
import dev.sluice.harness.machine.MachineClock;
import dev.sluice.harness.process.Signals;
import java.io.IOException;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/** The state of a workspace's queue, drawn anew until nothing runs any longer. */
public final class StatusWatch {
  private static final String CLEAR_SCREEN = "\u001b[H\u001b[2J";
  private static final long TERMINAL_PERIOD_NS = 1_000_000_000;
  private static final long PLAIN_PERIOD_NS = 5_000_000_000L;

  private StatusWatch() {}

  /**
   * Draws until no task runs, and none waits for a scheduler that runs.
   *
   * @return 3 if a task has failed, 130 after Ctrl-C, else 0
   */
  public static int until(Workspace workspace, Console console)
      throws IOException, InterruptedException, UserMistakeException {
    Thread drawing = Thread.currentThread();
    try (var signals = Signals.listen(drawing::interrupt, () -> {})) {
      QueueStatus status = draw(workspace, console);
      while (!status.isOver()) {
        try {
          MachineClock.pacer().awaitNs(MachineClock.monotonicNs() + periodNs(console));
        } catch (InterruptedException e) {
          if (signals.received()) {
            return signals.exitStatus();
          }
          throw e;
        }
        status = draw(workspace, console);
      }
      return status.exitStatus();
    }
  }

  /** Draws beside a scheduler of this process, on a thread of its own, until closed. */
  static final class Redraw implements AutoCloseable {
    private final Workspace workspace;
    private final Console console;
    private final Consumer<String> log;
    private final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor();

    Redraw(Workspace workspace, Console console, Consumer<String> log) {
      this.workspace = workspace;
      this.console = console;
      this.log = log;
      long periodNs = periodNs(console);
      var unused =
          timer.scheduleWithFixedDelay(this::drawAgain, periodNs, periodNs, TimeUnit.NANOSECONDS);
    }

    private void drawAgain() {
      try {
        QueueStatus unused = draw(workspace, console);
      } catch (IOException e) {
        log.accept("the table cannot be drawn: " + UserMistakeException.reason(e));
      } catch (UserMistakeException e) {
        log.accept("the table cannot be drawn: " + e.getMessage());
      }
    }

    @Override
    public void close() throws InterruptedException {
      timer.shutdown();
      boolean unused = timer.awaitTermination(1, TimeUnit.MINUTES);
    }
  }

  static QueueStatus draw(Workspace workspace, Console console)
      throws IOException, UserMistakeException {
    QueueStatus status = QueueStatus.of(workspace);
    if (console.isTerminal()) {
      console.stream().print(CLEAR_SCREEN);
    }
    status.lines().forEach(console::line);
    return status;
  }

  private static long periodNs(Console console) {
    return console.isTerminal() ? TERMINAL_PERIOD_NS : PLAIN_PERIOD_NS;
  }
}
