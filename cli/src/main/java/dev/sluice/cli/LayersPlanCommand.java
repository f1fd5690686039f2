package dev.sluice.cli;

import dev.sluice.harness.terminal.Console;
import dev.sluice.layers.runtime.LayersRun;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code ./sluice layers plan}: prints a schedule. */
@Command(
    name = "plan",
    mixinStandardHelpOptions = true,
    description = {
      "Prints a schedule as YAML on standard output, and nothing else; on standard error what it"
          + " would take.",
      "auto times each layer in three passes first, and chooses the list with the least wall time."
    },
    exitCodeListHeading = "%nExit status:%n",
    exitCodeList = {"0:done", "1:a bug", "2:a mistake in the command"},
    footer = {
      "",
      "Example:",
      "  ./sluice layers plan vit --budget 64MB --schedule auto >schedule.yaml"
    })
final class LayersPlanCommand implements Callable<Integer> {
  @Mixin private RunOfLayers run = new RunOfLayers(20);

  @Override
  public Integer call() throws Exception {
    return new LayersRun(run.checked(null), new Console(System.err, false)).plan(System.out);
  }
}
