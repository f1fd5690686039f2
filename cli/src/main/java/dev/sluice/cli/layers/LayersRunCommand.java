package dev.sluice.cli.layers;

import dev.sluice.contract.file.UserMistakeException;
import dev.sluice.harness.frame.ExitStatus;
import dev.sluice.harness.layers.runtime.LayersRun;
import dev.sluice.harness.terminal.Console;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code ./sluice layers run}: inference by layers. */
@Command(
    name = "run",
    mixinStandardHelpOptions = true,
    description = {
      "Runs a model by layers within a budget of memory, and prints where its time went.",
      "Models: resnet18, resnet50, vit, vit_tiny."
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
  private static final int STEPS_MAX = 1_000_000;

  @Mixin private RunOfLayers run = new RunOfLayers();

  @Option(
      names = "--steps",
      paramLabel = "N",
      description = "Number of batches (default: ${DEFAULT-VALUE}).")
  private int steps = 20;

  @Option(
      names = "--trace",
      paramLabel = "DIR",
      description = "Leaves layers.csv, trace.json (for Perfetto) and timeline.png in this folder.")
  private @Nullable Path trace;

  @Override
  public Integer call() throws Exception {
    var console = Console.standardOutput();
    try {
      Amounts.range("--steps", steps, 1, STEPS_MAX);
      return new LayersRun(run.checked(steps, trace), console).execute();
    } catch (UserMistakeException e) {
      console.endLiveLine();
      System.err.println(e.getMessage());
      return ExitStatus.MISTAKE;
    }
  }
}
