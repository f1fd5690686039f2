package dev.sluice.cli;

import dev.sluice.sweep.workspace.StartRun;
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
    return StartRun.runScheduler(where.open());
  }
}
