package dev.sluice.harness.sweep;

import dev.sluice.contract.file.UserMistakeException;
import dev.sluice.harness.machine.MachineClock;
import dev.sluice.harness.process.ChildJvm;
import dev.sluice.harness.process.Launch;
import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Path;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** The scheduler as a process in a session of its own, which outlives the command. */
public final class BackgroundScheduler {
  /** Name of the command that the process runs. */
  public static final String COMMAND = "scheduler";

  private static final DateTimeFormatter MOMENT =
      DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm:ss.SSS ", Locale.ROOT)
          .withZone(ZoneId.systemDefault());

  private BackgroundScheduler() {}

  /** Starts the process. */
  static Process start(Workspace workspace) throws IOException {
    List<String> options = new ArrayList<>();
    for (String own : ChildJvm.ownOptions()) {
      if (own.startsWith("-D") || own.startsWith("-Xlog") || own.startsWith("-XX:Shared")) {
        options.add(own);
      }
    }
    options.addAll(
        List.of(
            "-XX:+UseSerialGC",
            "-XX:TieredStopAtLevel=1",
            "-Xms8m",
            "-Xmx64m",
            "-Xss256k",
            "-Djdk.lang.Process.launchMechanism=VFORK"));
    Path log = new LogPaths(workspace).scheduler();
    var config = workspace.config();
    return Launch.of(
            ChildJvm.of(
                options,
                ChildJvm.SLUICE,
                List.of(
                    "sweep",
                    COMMAND,
                    "--config",
                    config.file().toAbsolutePath().toString(),
                    "--workspace",
                    config.workspace().toString())))
        .ownSession()
        .in(config.workspace())
        .without(List.of("SLUICE_SWEEP", "SLUICE_SWEEP_ATTEMPT"))
        .output(Redirect.appendTo(log.toFile()))
        .errorsToOutput()
        .start();
  }

  /**
   * Runs the scheduler in this process, its lines on standard output.
   *
   * @return the exit status
   */
  public static int run(Workspace workspace)
      throws UserMistakeException, IOException, InterruptedException {
    line("scheduler of " + workspace.queue().folder());
    int status = StartRun.foreground(workspace, BackgroundScheduler::line);
    line("ended, status " + status);
    return status;
  }

  private static void line(String text) {
    System.out.println(MOMENT.format(MachineClock.now()) + text);
  }
}
