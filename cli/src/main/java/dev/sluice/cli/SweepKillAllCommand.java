package dev.sluice.cli;

import dev.sluice.harness.terminal.Console;
import dev.sluice.sweep.workspace.WorkspaceRuns;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code ./sluice sweep kill-all}. */
@Command(
    name = "kill-all",
    mixinStandardHelpOptions = true,
    description = "Ends the scheduler and all tasks of this workspace.",
    footer = {"", "Example:", "  ./sluice sweep kill-all"})
final class SweepKillAllCommand implements Callable<Integer> {
  @Mixin private WorkspaceOptions where = new WorkspaceOptions();

  @Override
  public Integer call() throws Exception {
    return new WorkspaceRuns(where.open(), Console.standardOutput()).killAll();
  }
}
