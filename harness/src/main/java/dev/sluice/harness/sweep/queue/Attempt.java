package dev.sluice.harness.sweep.queue;

import dev.sluice.harness.process.ProcessIdentity;
import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.OptionalInt;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The files by which the scheduler and the keeper of one attempt meet. */
record Attempt(Path attempts, int task, int number) {
  /** What a claim says. */
  sealed interface Claim {
    /** Nobody has claimed the attempt. */
    record None() implements Claim {}

    /** A keeper has, or another began to and was cut off. */
    record Unfinished() implements Claim {}

    /** A scheduler has: no keeper may. */
    record Withdrawn() implements Claim {}

    /** A keeper has. */
    record Keeper(ProcessIdentity process) implements Claim {}
  }

  private static final String BY_SCHEDULER = "withdrawn";

  private Path file(String kind) {
    return attempts.resolve(name() + "." + kind);
  }

  /** Name of the attempt among those of its queue. */
  String name() {
    return task + "." + number;
  }

  /** Path of the attempt's files without their ends. */
  String prefix() {
    return attempts.resolve(name()).toString();
  }

  Path fifo() {
    return file("fifo");
  }

  /** A value that tells the attempt from all others of all queues. */
  String id() {
    return prefix();
  }

  /** Writes what the keeper reads once it is told to. */
  void writeOrder(String order) throws IOException {
    Files.writeString(file("order"), order);
  }

  Claim claim() throws IOException {
    try {
      String text = Files.readString(file("claim"));
      if (text.startsWith(BY_SCHEDULER)) {
        return new Claim.Withdrawn();
      }
      return text.endsWith("\n")
          ? ProcessIdentity.parse(text).<Claim>map(Claim.Keeper::new).orElse(new Claim.Unfinished())
          : new Claim.Unfinished();
    } catch (NoSuchFileException e) {
      return new Claim.None();
    }
  }

  /** Claims the attempt, so that a late keeper gives up; false: it is claimed. */
  boolean withdraw() throws IOException {
    try {
      Files.createFile(file("claim"));
    } catch (FileAlreadyExistsException e) {
      return false;
    }
    Files.writeString(file("claim"), BY_SCHEDULER);
    return true;
  }

  /** The exit status that the keeper left, a line; empty: none yet, or the disk was full. */
  OptionalInt status() throws IOException {
    try {
      String line = Files.readString(file("exit"));
      return line.endsWith("\n")
          ? OptionalInt.of(Integer.parseInt(line.strip()))
          : OptionalInt.empty();
    } catch (NoSuchFileException e) {
      return OptionalInt.empty();
    }
  }

  /** All attempts of which a file stands in a folder. */
  static Set<Attempt> all(Path attempts) throws IOException {
    try (Stream<Path> files = Files.list(attempts)) {
      return files
          .map(file -> file.getFileName().toString().split("\\.", 3))
          .map(
              parts ->
                  new Attempt(attempts, Integer.parseInt(parts[0]), Integer.parseInt(parts[1])))
          .collect(Collectors.toSet());
    }
  }

  /** Removes all files of an attempt that has ended. */
  void remove() throws IOException {
    for (String kind : new String[] {"fifo", "order", "exit", "claim"}) {
      Files.deleteIfExists(file(kind));
    }
  }
}
