package dev.sluice.bench;

import dev.sluice.bench.chaos.ChaosCommand;
import dev.sluice.cli.CheckoutCommands;
import java.util.List;

/** The commands of this library. */
public final class BenchCommands implements CheckoutCommands {
  @Override
  public List<Class<?>> commands() {
    return List.of(ChaosCommand.class, BenchCommand.class);
  }
}
