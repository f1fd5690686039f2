package dev.sluice.harness.role;

import dev.sluice.contract.event.RoleJoined.Role;
import dev.sluice.contract.file.UserMistakeException;
import dev.sluice.harness.frame.RunFrame;
import dev.sluice.harness.kafka.KafkaAccess;
import dev.sluice.harness.machine.Console;
import dev.sluice.harness.process.RoleFailedException;
import dev.sluice.scheduler.topology.ExperimentCore;
import dev.sluice.scheduler.topology.SchedulerStream;
import java.io.IOException;
import java.time.Duration;

/** A scheduler: takes shards, and decides for them until its host closes it. */
public final class ScheduleRole {
  private static final Duration START_LIMIT = Duration.ofSeconds(60);

  private ScheduleRole() {}

  /** Schedules in a process of its own until the run ends or a person stops the process. */
  public static int execute(RoleSettings settings) throws Exception {
    return RoleProcess.run(
        Role.SCHEDULE, settings, Console.standardOutput(), line -> {}, ScheduleRole::schedule);
  }

  private static int schedule(RoleProcess process) throws Exception {
    RunFrame frame = process.frame;
    process.connect();
    SchedulerStream stream = start(process, frame, process.kafka);
    process.metrics().scheduler(stream::counts);
    awaitRunning(stream);
    frame.console().item("scheduler", frame.experiment().scheduling().schedulerName());
    return process.awaitRunEnd();
  }

  /** Joins a run whose register is open, and starts without waiting until the scheduler runs. */
  public static SchedulerStream start(Host host, RunFrame frame, KafkaAccess kafka)
      throws UserMistakeException, IOException, InterruptedException {
    var stream =
        new SchedulerStream(
            ExperimentCore.settings(frame.experiment()),
            ExperimentCore.policies(frame.experiment()),
            frame.topics(),
            kafka.clients(),
            host.join(Role.SCHEDULE, "schedule", frame).instance(),
            host.temporary().resolve("streams"),
            frame.clock(),
            host::fail);
    stream.start();
    return host.add(stream);
  }

  /** Waits until the scheduler has its shards, or stands by for others. */
  public static void awaitRunning(SchedulerStream stream)
      throws RoleFailedException, InterruptedException {
    if (!stream.awaitRunning(START_LIMIT)) {
      throw new RoleFailedException(
          "the scheduler did not start within " + START_LIMIT.toSeconds() + " s", null);
    }
  }
}
