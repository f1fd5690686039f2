package dev.sluice.harness.role;

import dev.sluice.contract.event.RoleJoined;
import dev.sluice.contract.event.RoleJoined.Role;
import dev.sluice.contract.file.UserMistakeException;
import dev.sluice.contract.log.RunRegister;
import dev.sluice.harness.frame.RunFrame;
import dev.sluice.harness.process.RoleFailedException;
import dev.sluice.harness.process.StoppedException;
import dev.sluice.harness.terminal.Console;
import java.io.IOException;

/** A scheduler as a process of its own. */
public final class ScheduleProcess {
  private final RoleSettings settings;

  public ScheduleProcess(RoleSettings settings) {
    this.settings = settings;
  }

  /** Schedules until the run ends or a person stops the process, and returns the exit status. */
  public int execute() throws UserMistakeException, IOException, InterruptedException {
    return RoleProcess.run(
        Role.SCHEDULE, settings, Console.standardOutput(), line -> {}, ScheduleProcess::schedule);
  }

  private static int schedule(RoleProcess process)
      throws UserMistakeException,
          RoleFailedException,
          StoppedException,
          IOException,
          InterruptedException {
    RunFrame frame = process.frame();
    RunRegister register = process.connect();
    RoleJoined entry = register.join(Role.SCHEDULE, "schedule", frame.configDigest(), null);
    process.joined(entry);
    var role =
        process.open(
            ScheduleRole.start(
                frame,
                process.kafka().clients(),
                entry.instance(),
                process.temporary(),
                process::fail));
    process.metrics().scheduler(role::counts);
    role.awaitRunning();
    frame.console().item("scheduler", frame.experiment().scheduling().schedulerName());
    return process.awaitRunEnd();
  }
}
