package dev.sluice.sweep.workspace;

import dev.sluice.contract.file.UserMistakeException;
import dev.sluice.harness.process.ChildJvm;
import dev.sluice.harness.process.Launch;
import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** The scheduler as a process in a session of its own, which outlives the command. */
public final class BackgroundScheduler {
  /** Name of the command that the process runs. */
  public static final String COMMAND = "scheduler";

  private BackgroundScheduler() {}

  /** Starts the process. */
  public static Process start(Workspace workspace) throws IOException {
    List<String> options = new ArrayList<>(ChildJvm.ownPlainOptions());
    options.addAll(ChildJvm.SMALL);
    options.addAll(
        List.of("-Xms8m", "-Xmx64m", "-Xss256k", "-Djdk.lang.Process.launchMechanism=VFORK"));
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
    var log = new SchedulerLog(workspace, System.out);
    int status = StartRun.foreground(workspace, log::line);
    log.ended(status);
    return status;
  }
}
