package dev.sluice.harness.role;

import dev.sluice.contract.event.RoleJoined.Role;
import dev.sluice.contract.event.RunEnded;
import dev.sluice.contract.file.UserMistakeException;
import dev.sluice.contract.log.LogClients;
import dev.sluice.contract.log.RunRegister;
import dev.sluice.executor.dispatch.LaneSource;
import dev.sluice.harness.frame.ExitStatus;
import dev.sluice.harness.frame.RunFrame;
import dev.sluice.harness.machine.Console;
import dev.sluice.harness.process.RoleFailedException;
import dev.sluice.harness.process.StoppedException;
import dev.sluice.producer.generator.GeneratorSettings;
import dev.sluice.producer.generator.JobGenerators;
import dev.sluice.producer.generator.JobGenerators.RunFailedException;
import dev.sluice.producer.requests.RequestList;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/** The generators: they begin the run, send its jobs, and end it. */
public final class ProduceRole {
  private static final Duration DRAIN_LIMIT = Duration.ofMinutes(2);

  private ProduceRole() {}

  /** The generators of a run, which fail if lanes are missing after the limit. */
  public static JobGenerators generators(
      RunFrame frame, RequestList requests, LogClients kafka, Duration lanesLimit) {
    return new JobGenerators(
        new GeneratorSettings(
            frame.experiment(),
            requests,
            frame.runId(),
            frame.configDigest(),
            frame.topics(),
            new GeneratorSettings.TimeLimits(lanesLimit, DRAIN_LIMIT)),
        kafka,
        frame.clock(),
        frame.pacer(),
        missing -> frame.console().line("waiting for lanes: " + String.join("; ", missing)));
  }

  /**
   * Begins the run in a process of its own, sends its jobs and ends it.
   *
   * @param resume true to go on with a run whose generators died
   * @param after number of processes, this one included, that have joined before the run begins
   */
  public static int execute(RoleSettings settings, boolean resume, int after) throws Exception {
    return RoleProcess.run(
        Role.PRODUCE,
        settings,
        Console.standardOutput(),
        line -> {},
        process -> produce(process, resume, after));
  }

  private static int produce(RoleProcess process, boolean resume, int after) throws Exception {
    RunFrame frame = process.frame;
    RequestList requests =
        RequestList.of(frame.parsed(), LaneSource.of(frame.parsed())::isolatedMs);
    requests.beginDigest();
    requests.notes().forEach(note -> frame.console().item("requests", note));
    RunRegister register = process.connect();
    process.join(Role.PRODUCE, "produce", frame);
    if (!register.started().isDone() && !register.ended().isDone()) {
      awaitOthers(process, register, after);
    }
    JobGenerators generators =
        generators(frame, requests, process.kafka.clients(), process.settings.waitLimit());
    process.metrics().generators(generators::numbers);
    process.onStop(generators::stop);
    try {
      Optional<RunEnded> ended = resume ? generators.resume() : generators.run();
      if (ended.isEmpty()) {
        throw new StoppedException();
      }
      return ExitStatus.DONE;
    } catch (RunFailedException e) {
      throw new RoleFailedException(e.getMessage(), e);
    }
  }

  /**
   * Waits for each shard's scheduler and for the expected processes. One that joins after the run
   * has begun would make the run look disturbed.
   */
  private static void awaitOthers(RoleProcess process, RunRegister register, int after)
      throws RoleFailedException, StoppedException, InterruptedException {
    int shards = process.frame.shards();
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

  private static void await(
      RoleProcess process, RunRegister register, Supplier<List<String>> missing)
      throws RoleFailedException, StoppedException, InterruptedException {
    if (missing.get().isEmpty()) {
      return;
    }
    process.frame.console().line("waiting for " + String.join(", ", missing.get()));
    boolean unused =
        register.await(
            () -> process.ending() || missing.get().isEmpty(), process.settings.waitLimit());
    process.heedAWishToStop();
    RunEnded ended = register.ended().getNow(null);
    if (ended != null) {
      throw new RoleFailedException(
          "the run was given up before it began: " + ended.failure(), null);
    }
    if (!missing.get().isEmpty()) {
      throw new RoleFailedException(
          "missing after "
              + process.settings.waitLimit().toSeconds()
              + " s: "
              + String.join(", ", missing.get()),
          null);
    }
  }

  /** Begins to run on a thread of its own, which tells a host of the run's end. */
  public static Thread begin(JobGenerators generators, Host host) {
    var thread =
        new Thread(
            () -> {
              try {
                host.end(generators.run());
              } catch (RunFailedException
                  | UserMistakeException
                  | InterruptedException
                  | RuntimeException
                  | Error e) {
                host.fail(e);
              }
            },
            "sluice-generators");
    thread.start();
    return thread;
  }
}
