package dev.sluice.cli;

import dev.sluice.contract.event.RoleJoined.Role;
import dev.sluice.contract.event.RunEnded;
import dev.sluice.contract.file.UserMistakeException;
import dev.sluice.contract.log.RunRegister;
import dev.sluice.executor.dispatch.LaneSource;
import dev.sluice.harness.frame.ExitStatus;
import dev.sluice.harness.frame.RunFrame;
import dev.sluice.harness.process.RoleFailedException;
import dev.sluice.harness.process.StoppedException;
import dev.sluice.harness.role.ProduceRole;
import dev.sluice.harness.role.RoleProcess;
import dev.sluice.harness.terminal.Console;
import dev.sluice.producer.generator.RunFailedException;
import dev.sluice.producer.requests.RequestList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.function.Supplier;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code ./sluice produce CONFIG}: the generators as a process of their own. */
@Command(
    name = "produce",
    mixinStandardHelpOptions = true,
    description = {
      "Begins a run once each shard has a scheduler and lanes, sends its jobs on time,"
          + " and ends it once each job has its outcome."
    },
    footer = {
      "",
      "Example:",
      "  ./sluice produce configs/quickstart.yaml \\",
      "      --bootstrap localhost:9092 --run-id first"
    })
final class ProduceCommand implements Callable<Integer> {
  @Mixin private RoleOptions options = new RoleOptions();

  @Option(
      names = "--resume",
      description = "Goes on with a run whose generators died; the jobs of the gap are not sent.")
  private boolean resume;

  @Option(
      names = "--after",
      hidden = true,
      description = "Begins once N processes, this one among them, have joined.")
  private int after;

  @Override
  public Integer call() throws Exception {
    return RoleProcess.run(
        Role.PRODUCE, options::settings, Console.standardOutput(), line -> {}, this::produce);
  }

  private int produce(RoleProcess process)
      throws UserMistakeException, RoleFailedException, StoppedException, InterruptedException {
    RunFrame frame = process.frame();
    RequestList requests =
        RequestList.draw(frame.experiment(), LaneSource.of(frame.parsed())::isolatedMs);
    RunRegister register = process.connect();
    process.joined(register.join(Role.PRODUCE, "produce", frame.configDigest(), null));
    if (!register.started().isDone() && !register.ended().isDone()) {
      awaitOthers(process, register);
    }
    var role = new ProduceRole(frame, requests, process.kafka().clients(), options.waitLimit());
    process.metrics().generators(role::numbers);
    process.onStop(role::stop);
    try {
      Optional<RunEnded> ended = role.run(resume);
      if (ended.isEmpty()) {
        throw new StoppedException();
      }
      return ExitStatus.DONE;
    } catch (RunFailedException e) {
      throw new RoleFailedException(e.getMessage(), e);
    }
  }

  /**
   * Waits until each shard has its scheduler, and who else is expected is there: one that came when
   * the run has begun would make it look disturbed.
   */
  private void awaitOthers(RoleProcess process, RunRegister register)
      throws RoleFailedException, StoppedException, InterruptedException {
    int shards = process.frame().shards();
    await(
        process,
        register,
        () ->
            register.shardsNotTaken(shards).stream()
                .map(shard -> "a scheduler of shard " + shard)
                .toList());
    await(
        process,
        register,
        () -> {
          int missing = after - register.presentCount();
          return missing <= 0
              ? List.of()
              : List.of(missing + (missing == 1 ? " more process" : " more processes"));
        });
  }

  private void await(RoleProcess process, RunRegister register, Supplier<List<String>> missing)
      throws RoleFailedException, StoppedException, InterruptedException {
    if (missing.get().isEmpty()) {
      return;
    }
    process.frame().console().line("waiting for " + String.join(", ", missing.get()));
    boolean unused =
        register.await(() -> process.ending() || missing.get().isEmpty(), options.waitLimit());
    process.heedAWishToStop();
    RunEnded ended = register.ended().getNow(null);
    if (ended != null) {
      throw new RoleFailedException(
          "the run was given up before it began: " + ended.failure(), null);
    }
    if (!missing.get().isEmpty()) {
      throw new RoleFailedException(
          "missing after "
              + options.waitLimit().toSeconds()
              + " s: "
              + String.join(", ", missing.get()),
          null);
    }
  }
}
