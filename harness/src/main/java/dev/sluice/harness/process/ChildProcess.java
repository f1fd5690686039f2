package dev.sluice.harness.process;

import dev.sluice.harness.machine.MachineClock;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * One start of a child process by a {@link Supervisor}; its next start is another object.
 *
 * @param news file of {@link News}, which all starts of the child share
 * @param endExpected true if the child is not started again
 */
public record ChildProcess(
    Spec spec, Process process, Path output, Path news, int restarts, AtomicBoolean endExpected) {

  /**
   * A child to start.
   *
   * @param name name of the child among its siblings, of letters, digits and hyphens
   * @param terminal true if the child draws a live line for its parent to relay
   * @param directMb limit of its direct memory, megabytes
   * @param restartArguments the command and its options for a start after a death
   * @param restartsMax limit of starts after unexpected deaths
   */
  public record Spec(
      String name,
      boolean terminal,
      int heapMb,
      int directMb,
      List<String> arguments,
      List<String> restartArguments,
      int restartsMax) {
    public Spec {
      arguments = List.copyOf(arguments);
      restartArguments = List.copyOf(restartArguments);
    }

    /** This child with further options, at each of its starts. */
    public Spec with(List<String> options) {
      return new Spec(
          name,
          terminal,
          heapMb,
          directMb,
          Stream.concat(arguments.stream(), options.stream()).toList(),
          Stream.concat(restartArguments.stream(), options.stream()).toList(),
          restartsMax);
    }
  }

  public enum Signal {
    INT,
    TERM,
    KILL,
    STOP,
    CONT,
    ABRT
  }

  public String name() {
    return spec.name();
  }

  public long pid() {
    return process.pid();
  }

  public boolean isAlive() {
    return process.isAlive();
  }

  /** True if this start has said that it is up, and runs. */
  public boolean isUp() {
    return isAlive() && upAs() != null;
  }

  /** What this start said that it is up as; null: it is not up yet. */
  public @Nullable String upAs() {
    return News.read(news).stream()
        .filter(told -> told.pid() == pid() && told.up() != null)
        .map(News::up)
        .findFirst()
        .orElse(null);
  }

  /** True if this start or an earlier one was up under a name. */
  public boolean wasUpAs(String instance) {
    return News.read(news).stream().anyMatch(told -> instance.equals(told.up()));
  }

  /** The lines in which this start or an earlier one last said why it ends; empty: none did. */
  public List<String> lastError() {
    List<String> last = List.of();
    for (News told : News.read(news)) {
      last = told.error() == null ? last : told.error();
    }
    return last;
  }

  /** Marks the coming end as expected, so that the child is not started again. */
  public void expectEnd() {
    endExpected.set(true);
  }

  public void signal(Signal signal) throws InterruptedException {
    if (!process.isAlive()) {
      return;
    }
    try {
      int unused = Launch.of("kill", "-" + signal, Long.toString(pid())).status();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Waits until the child has ended; false: it runs still at that monotonic time. */
  public boolean endsBy(long deadlineNs) throws InterruptedException {
    return process.waitFor(
        Math.max(0, deadlineNs - MachineClock.monotonicNs()), TimeUnit.NANOSECONDS);
  }

  public void tell(String line) {
    try {
      OutputStream input = process.getOutputStream();
      input.write((line + "\n").getBytes(StandardCharsets.UTF_8));
      input.flush();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
