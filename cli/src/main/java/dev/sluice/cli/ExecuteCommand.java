package dev.sluice.cli;

import dev.sluice.harness.role.ExecuteRole;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

@Command(
    name = "execute",
    description = {
      "Runs batches of one shard of a run on lanes of its own. Ends with the run.",
      "Started again with an --executor-id, an executor replaces the earlier one of that id."
    },
    footer = {
      "  ./sluice execute configs/quickstart.yaml \\",
      "      --bootstrap localhost:9092 --run-id first"
    })
public final class ExecuteCommand implements Callable<Integer> {
  @Mixin private RoleOptions options = new RoleOptions();

  @Option(
      names = "--shard",
      paramLabel = "N",
      description = "Shard of the executor, from 0 (default: the one with the fewest executors).")
  private @Nullable Integer shard;

  @Option(
      names = "--executor-id",
      paramLabel = "ID",
      description = "Name of the executor in the log (default: executor-SHARD-N, new each time).")
  private @Nullable String executorId;

  @Option(
      names = "--speed",
      paramLabel = "FACTOR",
      description =
          "Speed of emulated lanes, as a multiple of their latency table's"
              + " (default: the experiment's lanes.speed).")
  private @Nullable Double speed;

  @Option(
      names = "--faults-from-stdin",
      hidden = true,
      description = "A line 'hang LANE' makes the next inference on that lane never return.")
  private boolean faultsFromStdin;

  @Override
  public Integer call() throws Exception {
    var own = new ExecuteRole.Options(shard, executorId, speed, faultsFromStdin);
    return ExecuteRole.execute(options.settings(), own);
  }
}
