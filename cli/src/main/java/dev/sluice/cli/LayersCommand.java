package dev.sluice.cli;

import dev.sluice.contract.file.UserMistakeException;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;

/** {@code ./sluice layers}: runs a model whose parameters do not fit into memory, by schedule. */
@Command(
    name = "layers",
    mixinStandardHelpOptions = true,
    description = {
      "Runs or trains a model whose parameters do not fit into memory: layer by layer, by a"
          + " schedule of fetch, compute, release and prefetch.",
      "What is computed equals what the whole model computes, bit for bit."
    },
    subcommands = {
      LayersDemoCommand.class,
      LayersRunCommand.class,
      LayersTrainCommand.class,
      LayersPlanCommand.class,
      LayersCheckCommand.class
    },
    footer = {
      "",
      "Examples:",
      "  ./sluice layers demo",
      "  ./sluice layers run vit --budget 64MB --schedule auto --steps 20 --batch 1"
    })
public final class LayersCommand implements Callable<Integer> {
  @Override
  public Integer call() throws UserMistakeException {
    throw new UserMistakeException(
        "sluice",
        "layers needs a command: demo, run, train, plan or check",
        "you meant ./sluice layers run vit --budget 64MB");
  }
}
