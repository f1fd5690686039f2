package dev.sluice.cli;

import dev.sluice.contract.file.UserMistakeException;
import dev.sluice.harness.terminal.Console;
import dev.sluice.sweep.workspace.QueueStatus;
import dev.sluice.sweep.workspace.StatusWatch;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code ./sluice sweep status}. */
@Command(
    name = "status",
    mixinStandardHelpOptions = true,
    description = "Shows what waits, runs, is done and has failed; exit 5 if one has failed.",
    footer = {"", "Example:", "  ./sluice sweep status"})
final class SweepStatusCommand implements Callable<Integer> {
  @Mixin private WorkspaceOptions where = new WorkspaceOptions();

  @Option(names = "--json", description = "Prints one JSON object.")
  private boolean json;

  @Option(names = "--watch", description = "Draws the table anew until nothing runs any longer.")
  private boolean watch;

  @Override
  public Integer call() throws Exception {
    var workspace = where.open();
    if (watch) {
      if (json) {
        throw new UserMistakeException(
            "--watch", "it does not go with --json, which prints once", "you want one of the two");
      }
      return StatusWatch.until(workspace, Console.standardOutput());
    }
    QueueStatus status = QueueStatus.of(workspace);
    if (json) {
      System.out.print(status.json());
    } else {
      status.lines().forEach(System.out::println);
    }
    return status.exitStatus();
  }
}
