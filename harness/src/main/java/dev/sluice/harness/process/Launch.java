package dev.sluice.harness.process;

import java.io.File;
import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * A process to start. Output comes through a pipe unless a method says otherwise. A method that
 * returns a launch changes this one.
 */
public final class Launch {
  private static final Path NICE = Path.of("/usr/bin/nice");

  private final ProcessBuilder process;

  private Launch(List<String> command) {
    process = new ProcessBuilder(new ArrayList<>(command));
  }

  public static Launch of(List<String> command) {
    return new Launch(command);
  }

  public static Launch of(String... command) {
    return of(List.of(command));
  }

  public Launch output(Redirect to) {
    process.redirectOutput(to);
    return this;
  }

  public Launch errors(Redirect to) {
    process.redirectError(to);
    return this;
  }

  public Launch errorsToOutput() {
    process.redirectErrorStream(true);
    return this;
  }

  public Launch environment(Map<String, String> variables) {
    process.environment().putAll(variables);
    return this;
  }

  public Launch without(List<String> variables) {
    variables.forEach(process.environment()::remove);
    return this;
  }

  /** Gives the process no standard input, and this folder to work in. */
  public Launch in(Path folder) {
    process.redirectInput(new File("/dev/null")).directory(folder.toFile());
    return this;
  }

  /**
   * Makes the process, by {@code setsid}, the leader of a session of its own, so that it outlives
   * this process and its terminal.
   */
  public Launch ownSession() {
    process.command().add(0, "setsid");
    return this;
  }

  /** Gives the process the least share of the processors, where the system has {@code nice}. */
  public Launch leastPriority() {
    if (Files.isExecutable(NICE)) {
      process.command().addAll(0, List.of(NICE.toString(), "-n", "19"));
    }
    return this;
  }

  public Process start() throws IOException {
    return process.start();
  }

  public int status() throws IOException, InterruptedException {
    return output(Redirect.DISCARD).errorsToOutput().start().waitFor();
  }

  /**
   * Runs the process to its end, and returns its standard output; it must end with 0.
   *
   * @param what name of the process in an error
   */
  public String printed(String what) throws IOException, InterruptedException {
    Process started = start();
    String printed = new String(started.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    if (started.waitFor() != 0) {
      throw new IOException(what + " ended with status " + started.exitValue());
    }
    return printed;
  }
}
