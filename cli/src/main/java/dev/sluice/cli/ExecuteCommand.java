package dev.sluice.cli;

import dev.sluice.contract.event.RoleJoined;
import dev.sluice.contract.event.RoleJoined.Role;
import dev.sluice.contract.file.UserMistakeException;
import dev.sluice.contract.log.RunRegister;
import dev.sluice.executor.dispatch.LaneSource;
import dev.sluice.harness.frame.RunFrame;
import dev.sluice.harness.role.ExecuteRole;
import dev.sluice.harness.role.HangingLanes;
import dev.sluice.harness.role.RoleProcess;
import dev.sluice.harness.terminal.Console;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code ./sluice execute CONFIG}: an executor as a process of its own. */
@Command(
    name = "execute",
    mixinStandardHelpOptions = true,
    description = {
      "Runs batches of one shard of a run on lanes of its own. Ends with the run.",
      "Started again with the same --executor-id, it takes the place of the one before."
    },
    footer = {
      "",
      "Example:",
      "  ./sluice execute configs/quickstart.yaml \\",
      "      --bootstrap localhost:9092 --run-id first"
    })
final class ExecuteCommand implements Callable<Integer> {
  @Mixin private RoleOptions options = new RoleOptions();

  @Option(
      names = "--shard",
      paramLabel = "N",
      description = "The shard it belongs to, from 0 (default: the one with the fewest executors).")
  private @Nullable Integer shard;

  @Option(
      names = "--executor-id",
      paramLabel = "ID",
      description = "Its name in the log (default: executor-SHARD-N, new each time).")
  private @Nullable String executorId;

  @Option(
      names = "--speed",
      paramLabel = "FACTOR",
      description =
          "Of emulated lanes: how many times as fast as their latency table they are"
              + " (default: the experiment's lanes.speed).")
  private @Nullable Double speed;

  @Option(
      names = "--faults-from-stdin",
      hidden = true,
      description = "A line 'hang LANE' makes the next inference on that lane never return.")
  private boolean faultsFromStdin;

  private final HangingLanes faults = new HangingLanes();

  @Override
  public Integer call() throws Exception {
    return RoleProcess.run(
        Role.EXECUTE,
        options::settings,
        Console.standardOutput(),
        faultsFromStdin ? faults::take : line -> {},
        process -> {
          RunFrame frame = process.frame();
          check(frame);
          ExecuteRole.Loaded loaded =
              ExecuteRole.load(
                  frame,
                  process.open(LaneSource.of(frame.parsed())),
                  speed == null ? frame.experiment().lanes().speed() : speed);
          process.heedAWishToStop();
          RunRegister register = process.connect();
          RoleJoined joined =
              process.joined(
                  register.joinExecutor(executorId, shard, frame.configDigest(), frame.shards()));
          process.heedAWishToStop();
          frame.console().line("warming up");
          Integer joinedShard = joined.shard();
          var role =
              process.open(
                  ExecuteRole.warmUp(
                      frame,
                      loaded,
                      RunRegister.nameOf(joined.instance()),
                      joinedShard == null ? 0 : joinedShard));
          process.heedAWishToStop();
          process.metrics().executor(role::numbers);
          role.join(process.kafka().clients(), faults, process::fail);
          return process.awaitRunEnd();
        });
  }

  private void check(RunFrame frame) throws UserMistakeException {
    if (shard != null && (shard < 0 || shard >= frame.shards())) {
      throw new UserMistakeException(
          "--shard",
          "there is no shard (" + shard + "): the experiment has kafka.shards " + frame.shards(),
          "you want a number from 0 to " + (frame.shards() - 1) + ", or no --shard");
    }
    if (speed != null && (!frame.experiment().lanes().emulated() || !(speed > 0 && speed < 1e6))) {
      throw new UserMistakeException(
          "--speed",
          frame.experiment().lanes().emulated()
              ? "the factor (" + speed + ") must be above 0"
              : "only emulated lanes have a speed, and the experiment's are real",
          "leave it out, or take an experiment with lanes.kind: emulated and a factor such as 4");
    }
    if (executorId != null && !executorId.matches("[A-Za-z0-9._-]{1,100}")) {
      throw new UserMistakeException(
          "--executor-id",
          "the id (" + executorId + ") is not of letters, digits, '.', '_' and '-' alone",
          "leave it out: one is made");
    }
  }
}
