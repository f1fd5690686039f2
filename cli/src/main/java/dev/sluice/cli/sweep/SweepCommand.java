package dev.sluice.cli.sweep;

import dev.sluice.harness.frame.ExitStatus;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.HelpCommand;

/** {@code ./sluice sweep}: many experiments, or many training commands over GPU slots. */
@Command(
    name = "sweep",
    mixinStandardHelpOptions = true,
    description = "Runs many training commands over GPU slots, and loses none.",
    subcommands = {
      SweepStartCommand.class,
      SweepStatusCommand.class,
      SweepStopCommand.class,
      SweepKillAllCommand.class,
      SweepConfigCommand.class,
      SweepRetryCommand.class,
      SweepLogsCommand.class,
      SweepSchedulerCommand.class,
      HelpCommand.class
    },
    footer = {"", "Example:", "  ./sluice sweep setup vision"})
public final class SweepCommand implements Callable<Integer> {
  @Override
  public Integer call() {
    System.err.println("sluice: error: sweep needs a command.");
    System.err.println("  Maybe ./sluice sweep --help shows which.");
    return ExitStatus.MISTAKE;
  }
}
