package dev.sluice.cli;

import dev.sluice.layers.runtime.ScheduleFile;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code ./sluice layers check}: proves a schedule legal. */
@Command(
    name = "check",
    mixinStandardHelpOptions = true,
    description = {
      "Checks a schedule's file: each fault with its line, and whether it fits into a budget.",
      "Needs no engine and runs nothing."
    },
    exitCodeListHeading = "%nExit status:%n",
    exitCodeList = {"0:the schedule is legal", "1:a bug", "2:a mistake in the command or file"},
    footer = {"", "Example:", "  ./sluice layers check schedule.yaml --budget 64MB"})
final class LayersCheckCommand implements Callable<Integer> {
  @Parameters(paramLabel = "FILE", description = "The schedule, a YAML file.")
  private Path file = Path.of("");

  @Mixin private BudgetOption budget = new BudgetOption();

  @Option(
      names = "--optimizer",
      paramLabel = "NAME",
      description =
          "Optimizer of a training's schedule, whose state counts: sgd or adam (default:"
              + " ${DEFAULT-VALUE}).")
  private String optimizer = "sgd";

  @Override
  public Integer call() throws Exception {
    return ScheduleFile.check(file, budget.bytes(), optimizer, System.out);
  }
}
