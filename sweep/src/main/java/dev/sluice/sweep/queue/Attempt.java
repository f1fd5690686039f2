package dev.sluice.sweep.queue;

import dev.sluice.harness.process.ProcessIdentity;
import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.OptionalInt;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The files by which the scheduler and the keeper of one attempt meet. */
public record Attempt(Path attempts, int task, int number) {
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

  /**
   * The attempt of a {@link #prefix}.
   *
   * @throws IllegalArgumentException if it is no attempt's
   */
  public static Attempt of(String prefix) {
    Path files = Path.of(prefix);
    Path folder = files.getParent();
    if (folder == null) {
      throw new IllegalArgumentException("(" + prefix + ") is no attempt's");
    }
    return of(folder, files.getFileName().toString());
  }

  private static Attempt of(Path attempts, String name) {
    String[] parts = name.split("\\.", 3);
    return new Attempt(attempts, Integer.parseInt(parts[0]), Integer.parseInt(parts[1]));
  }

  private Path file(String kind) {
    return attempts.resolve(name() + "." + kind);
  }

  /** Name of the attempt among those of its queue. */
  String name() {
    return task + "." + number;
  }

  /** Path of the attempt's files without their ends. */
  public String prefix() {
    return attempts.resolve(name()).toString();
  }

  /** The named pipe that a keeper holds open as long as it lives. */
  public Path fifo() {
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

  /** Claims the attempt for a keeper in this process; false: it is claimed. */
  public boolean claim(ProcessIdentity keeper) throws IOException {
    try {
      Files.writeString(
          file("claim"), keeper + "\n", StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
      return true;
    } catch (FileAlreadyExistsException e) {
      return false;
    }
  }

  /** Leaves the exit status, and gives up a claim whose process lives on. */
  public void leave(int status) throws IOException {
    Files.writeString(file("exit"), status + "\n");
    Files.deleteIfExists(file("claim"));
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
          .map(file -> of(attempts, file.getFileName().toString()))
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
