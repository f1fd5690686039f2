package dev.sluice.cli;

import dev.sluice.harness.terminal.Console;
import dev.sluice.layers.runtime.LayersTrain;
import dev.sluice.layers.runtime.RunOptions;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code ./sluice layers train}: training by layers. */
@Command(
    name = "train",
    mixinStandardHelpOptions = true,
    description = {
      "Trains a model by layers within a budget of memory, on seeded data. Each step is durable as"
          + " a whole: what was killed goes on with --resume, and ends with the same bytes.",
      "Models: resnet18_small, vit_micro."
    },
    exitCodeListHeading = "%nExit status:%n",
    exitCodeList = {
      "0:done",
      "1:a bug, or the training failed",
      "2:a mistake in the command or in a file",
      "130:stopped by Ctrl-C, after the layer that was being computed; --resume goes on"
    },
    footer = {
      "",
      "Examples:",
      "  ./sluice layers train resnet18_small --budget 80MB --steps 50 --out results/trained",
      "  ./sluice layers train resnet18_small --budget 80MB --steps 50 --out results/trained"
          + " --resume"
    })
final class LayersTrainCommand implements Callable<Integer> {
  @Mixin private RunOfLayers run = new RunOfLayers(50);

  @Mixin private TraceOption trace = new TraceOption();

  @Option(
      names = "--optimizer",
      paramLabel = "NAME",
      description = "sgd (with momentum) or adam (default: ${DEFAULT-VALUE}).")
  private String optimizer = "sgd";

  @Option(
      names = "--seed",
      paramLabel = "N",
      description = "Seed of the first parameters and of the data (default: ${DEFAULT-VALUE}).")
  private long seed = 7;

  @Option(
      names = "--out",
      paramLabel = "DIR",
      required = true,
      description = "Folder of the parameters after the last durable step.")
  private Path out = Path.of("");

  @Option(names = "--resume", description = "Goes on from the folder's last durable step.")
  private boolean resume;

  @Option(
      names = "--commit-every",
      paramLabel = "N",
      description = "Makes each Nth step durable, and the last (default: ${DEFAULT-VALUE}).")
  private int commitEvery = 1;

  @Override
  public Integer call() throws Exception {
    var console = Console.standardOutput();
    try {
      Amounts.range("--commit-every", commitEvery, 1, RunOfLayers.STEPS_MAX);
      var training = new RunOptions.Training(optimizer, seed, out, resume, commitEvery);
      return new LayersTrain(run.checked(trace.folder()), training, console).execute();
    } finally {
      console.endLiveLine();
    }
  }
}
