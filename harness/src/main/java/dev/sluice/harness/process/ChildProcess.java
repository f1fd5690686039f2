package dev.sluice.harness.process;

import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;

/** One process that a {@link Supervisor} started; started again, it is another one. */
public final class ChildProcess {
  private final Spec spec;
  private final Process process;
  private final Path output;

  /** The file of {@link News}; the same over all its starts. */
  private final Path news;

  private final int restarts;
  private volatile boolean endExpected;

  /**
   * What to start.
   *
   * @param name tells it from the others; of letters, digits and hyphens
   * @param terminal whether it draws a live line, for its parent to relay
   * @param heapMb the most memory that its Java heap may take, megabytes
   * @param arguments the command and its options
   * @param restartArguments the same for a start after its death
   * @param restartsMax how often it is started again at most, when it dies unexpectedly
   */
  public record Spec(
      String name,
      boolean terminal,
      int heapMb,
      List<String> arguments,
      List<String> restartArguments,
      int restartsMax) {
    public Spec {
      arguments = List.copyOf(arguments);
      restartArguments = List.copyOf(restartArguments);
    }
  }

  /** A signal as kill(1) names it. */
  public enum Signal {
    INT,
    TERM,
    KILL,
    STOP,
    CONT,
    ABRT
  }

  ChildProcess(Spec spec, Process process, Path output, Path news, int restarts) {
    this.spec = spec;
    this.process = process;
    this.output = output;
    this.news = news;
    this.restarts = restarts;
  }

  public Spec spec() {
    return spec;
  }

  public String name() {
    return spec.name();
  }

  public long pid() {
    return process.pid();
  }

  /** How many times it had died before this start. */
  public int restarts() {
    return restarts;
  }

  /** The file that takes what it prints; the same over all its starts. */
  public Path output() {
    return output;
  }

  public boolean isAlive() {
    return process.isAlive();
  }

  public Process process() {
    return process;
  }

  /** Whether this start of it has said that it is up, and it runs. */
  public boolean isUp() {
    return isAlive()
        && News.read(news).stream().anyMatch(told -> told.pid() == pid() && told.up() != null);
  }

  /** Whether this start of it, or one before, was up under that name. */
  public boolean wasUpAs(String instance) {
    return News.read(news).stream().anyMatch(told -> instance.equals(told.up()));
  }

  /** The lines in which it, or a start of it before, last said why it ends; empty: it did not. */
  public List<String> lastError() {
    List<String> last = List.of();
    for (News told : News.read(news)) {
      last = told.error() == null ? last : told.error();
    }
    return last;
  }

  /** Its end from here on is nobody's fault: it is not started again. */
  public void expectEnd() {
    endExpected = true;
  }

  boolean endExpected() {
    return endExpected;
  }

  /**
   * Sends it a signal; one that has ended gets none.
   *
   * @throws UncheckedIOException if there is no kill command
   */
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

  /**
   * Writes a line to its standard input.
   *
   * @throws UncheckedIOException if it is gone
   */
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
