package dev.sluice.harness.sweep;

import dev.sluice.contract.file.UserMistakeException;
import dev.sluice.harness.machine.MachineClock;
import dev.sluice.harness.process.Signals;
import dev.sluice.harness.terminal.Console;
import java.io.IOException;

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
      while (true) {
        QueueStatus status = QueueStatus.of(workspace);
        if (console.isTerminal()) {
          console.stream().print(CLEAR_SCREEN);
        }
        status.lines().forEach(console::line);
        if (status.isOver()) {
          return status.exitStatus();
        }
        long periodNs = console.isTerminal() ? TERMINAL_PERIOD_NS : PLAIN_PERIOD_NS;
        try {
          MachineClock.pacer().awaitNs(MachineClock.monotonicNs() + periodNs);
        } catch (InterruptedException e) {
          if (signals.received()) {
            return signals.exitStatus();
          }
          throw e;
        }
      }
    }
  }
}
