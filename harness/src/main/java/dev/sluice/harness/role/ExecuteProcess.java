package dev.sluice.harness.role;

import dev.sluice.contract.event.RoleJoined;
import dev.sluice.contract.event.RoleJoined.Role;
import dev.sluice.contract.file.UserMistakeException;
import dev.sluice.contract.log.RunRegister;
import dev.sluice.executor.dispatch.LaneSource;
import dev.sluice.executor.lane.WarmUpException;
import dev.sluice.harness.frame.FewProcessors;
import dev.sluice.harness.frame.RunFrame;
import dev.sluice.harness.process.RoleFailedException;
import dev.sluice.harness.process.StoppedException;
import dev.sluice.harness.terminal.Console;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** An executor as a process of its own. */
public final class ExecuteProcess {
  private final RoleSettings settings;
  private final Options options;
  private final HangingLanes faults = new HangingLanes();

  /**
   * Options of an executor alone.
   *
   * @param shard shard that it belongs to, from 0; null: the one with the fewest executors
   * @param executorId its name in the log; null: a new one
   * @param speed factor by which emulated lanes are faster than their table; null: as the
   *     experiment says
   * @param faultsFromStdin true if lines of standard input make lanes hang
   */
  public record Options(
      @Nullable Integer shard,
      @Nullable String executorId,
      @Nullable Double speed,
      boolean faultsFromStdin) {}

  public ExecuteProcess(RoleSettings settings, Options options) {
    this.settings = settings;
    this.options = options;
  }

  /** Runs batches until the run ends or a person stops the process, and returns the exit status. */
  public int execute() throws UserMistakeException, IOException, InterruptedException {
    return RoleProcess.run(
        Role.EXECUTE,
        settings,
        Console.standardOutput(),
        options.faultsFromStdin() ? faults::take : line -> {},
        this::runBatches);
  }

  private int runBatches(RoleProcess process)
      throws UserMistakeException,
          RoleFailedException,
          WarmUpException,
          StoppedException,
          IOException,
          InterruptedException {
    RunFrame frame = process.frame();
    check(frame);
    FewProcessors.warn(frame.parsed(), /* executors= */ 1, frame.console());
    Double speed = options.speed();
    ExecuteRole.Loaded loaded =
        ExecuteRole.load(
            frame,
            process.open(LaneSource.of(frame.parsed())),
            speed == null ? frame.experiment().lanes().speed() : speed);
    process.heedAWishToStop();
    RunRegister register = process.connect();
    RoleJoined joined =
        process.joined(
            register.joinExecutor(
                options.executorId(), options.shard(), frame.configDigest(), frame.shards()));
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
  }

  private void check(RunFrame frame) throws UserMistakeException {
    Integer shard = options.shard();
    Double speed = options.speed();
    String executorId = options.executorId();
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
              ? "the factor (" + speed + ") must be above 0 and below 1000000"
              : "only emulated lanes have a speed, and the experiment's are real",
          "you want to leave it out, or an experiment with lanes.kind: emulated and --speed 4");
    }
    if (executorId != null && !executorId.matches("[A-Za-z0-9._-]{1,100}")) {
      throw new UserMistakeException(
          "--executor-id",
          "the id (" + executorId + ") is not of letters, digits, '.', '_' and '-' alone",
          "you want to leave it out: a new id is made");
    }
  }
}
