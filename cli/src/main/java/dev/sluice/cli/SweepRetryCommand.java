package dev.sluice.cli;

import dev.sluice.contract.file.UserMistakeException;
import dev.sluice.harness.terminal.Console;
import dev.sluice.sweep.workspace.StartRun;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code ./sluice sweep retry}. */
@Command(
    name = "retry",
    mixinStandardHelpOptions = true,
    description =
        "Runs tasks again: named ones, failed ones, or those whose config has changed since.",
    footer = {"", "Example:", "  ./sluice sweep retry --failed"})
final class SweepRetryCommand implements Callable<Integer> {
  @Mixin private WorkspaceOptions where = new WorkspaceOptions();

  @Parameters(paramLabel = "NAME", arity = "0..*", description = "Tasks to run again.")
  private List<String> names = new ArrayList<>();

  @Option(names = "--failed", description = "Runs all again that have failed.")
  private boolean failed;

  @Option(names = "--changed", description = "Runs all again whose config has changed since.")
  private boolean changed;

  @Option(names = "--wait", description = "Returns when all tasks have ended.")
  private boolean wait;

  @Override
  public Integer call() throws Exception {
    var workspace = where.open();
    if (names.isEmpty() && !failed && !changed) {
      throw new UserMistakeException(
          "sluice",
          "retry needs names, --failed or --changed",
          "./sluice sweep retry --failed is meant");
    }
    return new StartRun(
            workspace,
            wait ? StartRun.Mode.WAIT : StartRun.Mode.BACKGROUND,
            Console.standardOutput())
        .retry(new StartRun.Again(names, failed, changed));
  }
}
