package dev.sluice.cli;

import dev.sluice.harness.role.ScheduleRole;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

@Command(
    name = "schedule",
    description = {
      "Decides for shards of a run. Several schedulers share the shards; one without a shard stands"
          + " by, and takes over when another ends. Ends with the run."
    },
    footer = {
      "  ./sluice schedule configs/quickstart.yaml \\",
      "      --bootstrap localhost:9092 --run-id first"
    })
public final class ScheduleCommand implements Callable<Integer> {
  @Mixin private RoleOptions options = new RoleOptions();

  @Override
  public Integer call() throws Exception {
    return ScheduleRole.execute(options.settings());
  }
}
