package dev.sluice.cli;

import dev.sluice.contract.event.RoleJoined;
import dev.sluice.contract.event.RoleJoined.Role;
import dev.sluice.contract.log.RunRegister;
import dev.sluice.harness.frame.RunFrame;
import dev.sluice.harness.role.RoleProcess;
import dev.sluice.harness.role.ScheduleRole;
import dev.sluice.harness.terminal.Console;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code ./sluice schedule CONFIG}: a scheduler as a process of its own. */
@Command(
    name = "schedule",
    mixinStandardHelpOptions = true,
    description = {
      "Decides for shards of a run. Several share its shards; those that get none stand by,"
          + " and take over when another goes. Ends with the run."
    },
    footer = {
      "",
      "Example:",
      "  ./sluice schedule configs/quickstart.yaml \\",
      "      --bootstrap localhost:9092 --run-id first"
    })
final class ScheduleCommand implements Callable<Integer> {
  @Mixin private RoleOptions options = new RoleOptions();

  @Override
  public Integer call() throws Exception {
    return RoleProcess.run(
        Role.SCHEDULE,
        options::settings,
        Console.standardOutput(),
        line -> {},
        process -> {
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
          frame.console().item("scheduler", frame.experiment().schedulerName());
          return process.awaitRunEnd();
        });
  }
}
