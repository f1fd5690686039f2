package dev.sluice.cli;

import dev.sluice.contract.file.UserMistakeException;
import dev.sluice.harness.frame.ExitStatus;
import dev.sluice.sweep.workspace.BackgroundScheduler;
import dev.sluice.sweep.workspace.Workspace;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code ./sluice sweep scheduler}. */
@Command(
    name = "scheduler",
    mixinStandardHelpOptions = true,
    hidden = true,
    description = "Started by start: runs the scheduler.")
final class SweepSchedulerCommand implements Callable<Integer> {
  @Mixin private WorkspaceOptions where = new WorkspaceOptions();

  @Override
  public Integer call() throws Exception {
    try {
      var workspace = Workspace.open(where.config(), where.workspace());
      return BackgroundScheduler.run(workspace);
    } catch (UserMistakeException e) {
      System.err.println(e.getMessage());
      return ExitStatus.MISTAKE;
    }
  }
}
