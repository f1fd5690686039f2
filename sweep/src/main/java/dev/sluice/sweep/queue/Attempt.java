package dev.sluice.sweep.queue;

import dev.sluice.harness.process.Launch;
import dev.sluice.harness.process.ProcessIdentity;
import dev.sluice.sweep.queue.Scheduler.Work;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * An attempt at a task, and the files by which its keeper and the schedulers meet. The keeper is a
 * small shell that outlives the scheduler: it claims the attempt, runs its command, and leaves the
 * exit status.
 */
record Attempt(Path attempts, int task, int number) {
  /** Variable of the queue's folder, in the environment of each of its processes. */
  static final String QUEUE = "SLUICE_SWEEP";

  /** Variable of the attempt, in the environment of each of its processes. */
  static final String ATTEMPT = "SLUICE_SWEEP_ATTEMPT";

  private static final String SCRIPT = script();
  private static final String BY_SCHEDULER = "withdrawn";

  /** Files of an attempt, those of earlier versions among them. */
  private static final List<String> KINDS = List.of("fifo", "order", "exit", "claim");

  enum Claim {
    NONE,
    /** A keeper has, or another began to and was cut off. */
    UNFINISHED,
    /** A scheduler has: no keeper may. */
    WITHDRAWN,
    KEPT
  }

  private static String script() {
    try (InputStream in = Attempt.class.getResourceAsStream("keeper.sh")) {
      if (in == null) {
        throw new IllegalStateException("the keeper's script is missing");
      }
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private Path file(String kind) {
    return attempts.resolve(task + "." + number + "." + kind);
  }

  /** A value that tells the attempt from all others of all queues: its files without their ends. */
  String id() {
    return attempts.resolve(task + "." + number).toString();
  }

  /** Starts a keeper; {@code stamp} is the attempt's first line in its log. */
  Process start(Work.Plan plan, Map<String, String> variables, String stamp) throws IOException {
    List<String> command =
        new ArrayList<>(
            List.of("/bin/sh", "-c", SCRIPT, "sluice-keeper", id(), plan.log().toString(), stamp));
    command.addAll(plan.command());
    Map<String, String> environment = new HashMap<>(variables);
    environment.putAll(plan.environment());
    environment.put(ATTEMPT, id());
    return Launch.of(command)
        .ownSession()
        .in(plan.directory())
        .environment(environment)
        .output(Redirect.DISCARD)
        .errorsToOutput()
        .start();
  }

  Claim claim() throws IOException {
    if (!Files.exists(file("claim"))) {
      return Claim.NONE;
    }
    String text = Files.readString(file("claim"));
    if (text.startsWith(BY_SCHEDULER)) {
      return Claim.WITHDRAWN;
    }
    return keeper(text).isPresent() ? Claim.KEPT : Claim.UNFINISHED;
  }

  /** The keeper that has claimed the attempt; empty: none, or its claim is no whole line. */
  Optional<ProcessIdentity> keeper() throws IOException {
    return Files.exists(file("claim")) ? keeper(Files.readString(file("claim"))) : Optional.empty();
  }

  private static Optional<ProcessIdentity> keeper(String claim) {
    return claim.endsWith("\n") ? ProcessIdentity.parse(claim) : Optional.empty();
  }

  /** Claims the attempt, so that a late keeper gives up; false: it is claimed. */
  boolean withdraw() throws IOException {
    try {
      Files.createFile(file("claim"));
    } catch (FileAlreadyExistsException e) {
      return claim() == Claim.WITHDRAWN;
    }
    Files.writeString(file("claim"), BY_SCHEDULER);
    return true;
  }

  /** The exit status that the keeper left, a line; empty: none yet, or the disk was full. */
  OptionalInt status() throws IOException {
    if (!Files.exists(file("exit"))) {
      return OptionalInt.empty();
    }
    String line = Files.readString(file("exit"));
    return line.endsWith("\n")
        ? OptionalInt.of(Integer.parseInt(line.strip()))
        : OptionalInt.empty();
  }

  /** All attempts of which a file stands in a folder. */
  static Set<Attempt> all(Path attempts) throws IOException {
    try (Stream<Path> files = Files.list(attempts)) {
      return files.map(file -> of(attempts, file)).collect(Collectors.toSet());
    }
  }

  private static Attempt of(Path attempts, Path file) {
    String[] parts = file.getFileName().toString().split("\\.", 3);
    return new Attempt(attempts, Integer.parseInt(parts[0]), Integer.parseInt(parts[1]));
  }

  void remove() throws IOException {
    for (String kind : KINDS) {
      Files.deleteIfExists(file(kind));
    }
  }
}
