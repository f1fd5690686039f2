package dev.sluice.cli;

import dev.sluice.harness.terminal.Console;
import dev.sluice.layers.runtime.LayersRun;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code ./sluice layers run}: inference by layers. */
@Command(
    name = "run",
    mixinStandardHelpOptions = true,
    description = {
      "Runs a model by layers within a budget of memory, and prints where its time went.",
      "Models: ${bundle:workloads}."
    },
    exitCodeListHeading = "%nExit status:%n",
    exitCodeList = {
      "0:done",
      "1:a bug, or the run failed",
      "2:a mistake in the command or in a file",
      "130:stopped by Ctrl-C, after the layer that was being computed"
    },
    footer = {
      "",
      "Examples:",
      "  ./sluice layers run vit --budget 64MB --steps 20",
      "  ./sluice layers run vit --budget 64MB --bandwidth 700MB/s --trace results/vit-layers"
    })
final class LayersRunCommand implements Callable<Integer> {
  @Mixin private RunOfLayers run = new RunOfLayers(20);

  @Mixin private TraceOption trace = new TraceOption();

  @Override
  public Integer call() throws Exception {
    var console = Console.standardOutput();
    try {
      return new LayersRun(run.checked(trace.folder()), console).execute();
    } finally {
      console.endLiveLine();
    }
  }
}
