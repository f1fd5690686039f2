package dev.sluice.bench.chaos;

import dev.sluice.cli.CheckoutCommands;
import dev.sluice.cli.ExperimentOptions;
import dev.sluice.contract.file.UserMistakeException;
import dev.sluice.harness.machine.Console;
import java.io.IOException;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code ./sluice chaos CONFIG}: a run whose processes are killed, and the audit of its log. */
@Command(
    name = "chaos",
    description = {
      CheckoutCommands.CHAOS,
      "Harms only processes that it started itself. The load ends after the last fault.",
      "Faults: scheduler, executor, generator, analytics or broker killed; the scheduler killed"
          + " while it writes a snapshot of its state; scheduler or executor stopped and continued;"
          + " executor aborted; a lane hung; the broker's disk full, the results' disk full at the"
          + " end (both by a file size limit; Linux)."
    },
    exitCodeList = {
      "0:nothing was lost or doubled",
      "1:the audit found a violation, or the run came to no end",
      "2:a mistake in the command or in a file"
    },
    footer = "  ./sluice chaos configs/chaos.yaml --kills 20 --seed 7")
public final class ChaosCommand implements Callable<Integer> {
  @Mixin private ExperimentOptions options = new ExperimentOptions();

  @Option(
      names = "--kills",
      paramLabel = "N",
      description = "Number of faults (default: ${DEFAULT-VALUE}).")
  private int kills = 10;

  @Option(
      names = "--waiting",
      paramLabel = "N",
      description =
          "Kill the scheduler also while that many jobs wait. More jobs must arrive than the lanes"
              + " can take (default: 0, this fault is left out).")
  private int waiting;

  @Option(
      names = "--seed",
      paramLabel = "S",
      description = "Seed of the faults and their order (default: ${DEFAULT-VALUE}).")
  private long seed = 1;

  @Override
  public Integer call() throws UserMistakeException, IOException, InterruptedException {
    Console console = Console.standardOutput();
    try {
      var run =
          new ChaosRun.Options(
              options.config(),
              options.overrides(),
              options.results(),
              options.runId(),
              kills,
              waiting,
              seed);
      return new ChaosRun(run, console).execute();
    } finally {
      console.endLiveLine();
    }
  }
}
