package dev.sluice.cli;

import dev.sluice.harness.frame.ExitStatus;
import dev.sluice.harness.machine.MachineClock;
import dev.sluice.harness.terminal.Console;
import dev.sluice.layers.demo.DemoRun;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;

/** {@code ./sluice layers demo}: the smallest example. */
@Command(
    name = "demo",
    mixinStandardHelpOptions = true,
    description = {
      "Runs one training step of a toy model, without prefetching and with it, and prints each hook"
          + " and operation with its start and end.",
      "Needs no engine; takes a second."
    },
    footer = {"", "Example:", "  ./sluice layers demo"})
final class LayersDemoCommand implements Callable<Integer> {
  private static final long UNIT_NS = 10_000_000;

  @Override
  public Integer call() throws InterruptedException {
    var console = Console.standardOutput();
    new DemoRun(console, MachineClock::monotonicNs, MachineClock.pacer(), UNIT_NS).execute();
    return ExitStatus.DONE;
  }
}
