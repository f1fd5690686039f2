package dev.sluice.sweep.workspace;

import dev.sluice.harness.machine.MachineClock;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.StandardOpenOption;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.Locale;

/** Lines of a scheduler's log, each with its time; the first names the queue's folder. */
public final class SchedulerLog implements AutoCloseable {
  private static final DateTimeFormatter MOMENT =
      DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm:ss.SSS ", Locale.ROOT)
          .withZone(ZoneId.systemDefault());

  private final PrintStream out;

  SchedulerLog(Workspace workspace, PrintStream out) {
    this.out = out;
    line("scheduler of " + workspace.queue().folder());
  }

  /** Opens the workspace's own log, and appends to it. */
  public static SchedulerLog open(Workspace workspace) throws IOException {
    var file =
        Files.newOutputStream(
            workspace.schedulerLog(), StandardOpenOption.CREATE, StandardOpenOption.APPEND);
    return new SchedulerLog(workspace, new PrintStream(file, true, StandardCharsets.UTF_8));
  }

  public synchronized void line(String text) {
    out.println(MOMENT.format(MachineClock.now()) + text);
  }

  void ended(int status) {
    line("ended, status " + status);
  }

  @Override
  public void close() {
    out.close();
  }
}
