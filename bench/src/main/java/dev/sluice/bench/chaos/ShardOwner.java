package dev.sluice.bench.chaos;

import dev.sluice.contract.log.RunRegister;
import dev.sluice.harness.process.ChildProcess;
import dev.sluice.harness.process.Supervisor;
import java.util.Optional;

/** The process that decides for a shard, by the run's register. */
public final class ShardOwner {
  private ShardOwner() {}

  /** Returns the scheduler's process; empty if the register names none that runs here. */
  public static Optional<ChildProcess> of(Supervisor children, RunRegister register, int shard) {
    return register
        .owner(shard)
        .flatMap(
            instance ->
                children.children().stream()
                    .filter(child -> child.name().startsWith("schedule"))
                    .filter(child -> child.wasUpAs(instance))
                    .findFirst());
  }
}
