package dev.sluice.cli;

import dev.sluice.harness.terminal.Console;
import dev.sluice.sweep.workspace.WorkspaceRuns;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code ./sluice sweep logs}. */
@Command(
    name = "logs",
    mixinStandardHelpOptions = true,
    description = "Prints a task's log.",
    footer = {"", "Example:", "  ./sluice sweep logs exp1 -f"})
final class SweepLogsCommand implements Callable<Integer> {
  @Mixin private WorkspaceOptions where = new WorkspaceOptions();

  @Parameters(paramLabel = "NAME", description = "The task: its config's name without the ending.")
  private String name = "";

  @Option(
      names = {"-f", "--follow"},
      description = "Goes on as the log grows, until Ctrl-C.")
  private boolean follow;

  @Override
  public Integer call() throws Exception {
    return new WorkspaceRuns(where.open(), Console.standardOutput()).logs(name, follow);
  }
}
