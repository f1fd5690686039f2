package dev.sluice.cli;

import dev.sluice.harness.terminal.Console;
import dev.sluice.sweep.workspace.WorkspaceRuns;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code ./sluice sweep stop}. */
@Command(
    name = "stop",
    mixinStandardHelpOptions = true,
    description = "Stops the scheduler; what runs goes on, and the next start finds it again.",
    footer = {"", "Example:", "  ./sluice sweep stop"})
final class SweepStopCommand implements Callable<Integer> {
  @Mixin private WorkspaceOptions where = new WorkspaceOptions();

  @Override
  public Integer call() throws Exception {
    return new WorkspaceRuns(where.open(), Console.standardOutput()).stop();
  }
}
