package dev.sluice.harness.role;

import dev.sluice.contract.event.RoleJoined.Role;
import dev.sluice.contract.event.RunEnded;
import dev.sluice.contract.file.UserMistakeException;
import dev.sluice.contract.log.RunRegister;
import dev.sluice.executor.dispatch.LaneSource;
import dev.sluice.harness.frame.ExitStatus;
import dev.sluice.harness.frame.RunFrame;
import dev.sluice.harness.process.RoleFailedException;
import dev.sluice.harness.process.StoppedException;
import dev.sluice.harness.terminal.Console;
import dev.sluice.producer.generator.RunFailedException;
import dev.sluice.producer.requests.RequestList;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/** The generators as a process of their own. */
public final class ProduceProcess {
  private final RoleSettings settings;
  private final Options options;

  /**
   * Options of the generators alone.
   *
   * @param resume true to go on with a run whose generators died
   * @param after number of processes, this one included, that have joined before the run begins
   */
  public record Options(boolean resume, int after) {}

  public ProduceProcess(RoleSettings settings, Options options) {
    this.settings = settings;
    this.options = options;
  }

  /** Begins the run, sends its jobs and ends it, and returns the exit status. */
  public int execute() throws UserMistakeException, IOException, InterruptedException {
    return RoleProcess.run(
        Role.PRODUCE, settings, Console.standardOutput(), line -> {}, this::produce);
  }

  private int produce(RoleProcess process)
      throws UserMistakeException, RoleFailedException, StoppedException, InterruptedException {
    RunFrame frame = process.frame();
    RequestList requests =
        RequestList.of(frame.parsed(), LaneSource.of(frame.parsed())::isolatedMs);
    requests.beginDigest();
    requests.notes().forEach(note -> frame.console().item("requests", note));
    RunRegister register = process.connect();
    process.joined(register.join(Role.PRODUCE, "produce", frame.configDigest(), null));
    if (!register.started().isDone() && !register.ended().isDone()) {
      awaitOthers(process, register);
    }
    var role = new ProduceRole(frame, requests, process.kafka().clients(), settings.waitLimit());
    process.metrics().generators(role::numbers);
    process.onStop(role::stop);
    try {
      Optional<RunEnded> ended = role.run(options.resume());
      if (ended.isEmpty()) {
        throw new StoppedException();
      }
      return ExitStatus.DONE;
    } catch (RunFailedException e) {
      throw new RoleFailedException(e.getMessage(), e);
    }
  }

  /**
   * Waits until each shard has its scheduler and the expected processes have joined. A process that
   * joins after the run has begun would make the run look disturbed.
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
          int missing = options.after() - register.presentCount();
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
        register.await(() -> process.ending() || missing.get().isEmpty(), settings.waitLimit());
    process.heedAWishToStop();
    RunEnded ended = register.ended().getNow(null);
    if (ended != null) {
      throw new RoleFailedException(
          "the run was given up before it began: " + ended.failure(), null);
    }
    if (!missing.get().isEmpty()) {
      throw new RoleFailedException(
          "missing after "
              + settings.waitLimit().toSeconds()
              + " s: "
              + String.join(", ", missing.get()),
          null);
    }
  }
}
