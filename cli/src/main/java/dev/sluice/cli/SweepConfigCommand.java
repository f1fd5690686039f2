package dev.sluice.cli;

import dev.sluice.harness.terminal.Console;
import dev.sluice.sweep.workspace.WorkspaceRuns;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code ./sluice sweep config}. */
@Command(
    name = "config",
    mixinStandardHelpOptions = true,
    description = "Shows each key of the config, its value, and whence it comes.",
    footer = {"", "Example:", "  ./sluice sweep config"})
final class SweepConfigCommand implements Callable<Integer> {
  @Mixin private WorkspaceOptions where = new WorkspaceOptions();

  @Override
  public Integer call() throws Exception {
    return new WorkspaceRuns(where.open(), Console.standardOutput()).config();
  }
}
