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
 * A process to start: its command line, and where its output goes. Output comes through a pipe
 * unless a method says otherwise. A method that returns a launch changes this one.
 */
public final class Launch {
  private static final Path NICE = Path.of("/usr/bin/nice");

  private final ProcessBuilder process;

  private Launch(List<String> command) {
    process = new ProcessBuilder(new ArrayList<>(command));
  }

  /** A process of a program with arguments. */
  public static Launch of(List<String> command) {
    return new Launch(command);
  }

  /** A process of a program with arguments. */
  public static Launch of(String... command) {
    return of(List.of(command));
  }

  /** Sends standard output to a target. */
  public Launch output(Redirect to) {
    process.redirectOutput(to);
    return this;
  }

  /** Sends standard error to a target. */
  public Launch errors(Redirect to) {
    process.redirectError(to);
    return this;
  }

  /** Sends standard error where standard output goes. */
  public Launch errorsToOutput() {
    process.redirectErrorStream(true);
    return this;
  }

  /** Adds variables to the environment that the process inherits. */
  public Launch environment(Map<String, String> variables) {
    process.environment().putAll(variables);
    return this;
  }

  /** Takes variables out of the environment that the process inherits. */
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
   * Gives the process a session of its own, whose leader it is, so that it outlives this process
   * and its terminal. The program {@code setsid} becomes the process itself.
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

  /**
   * Starts the process, and returns its handle.
   *
   * @throws IOException if there is no such program
   */
  public Process start() throws IOException {
    return process.start();
  }

  /** Runs the process to its end, drops its output, and returns its exit status. */
  public int status() throws IOException, InterruptedException {
    return output(Redirect.DISCARD).errorsToOutput().start().waitFor();
  }

  /**
   * Runs the process to its end, and returns its standard output.
   *
   * @param what name of the process in an error
   * @throws IOException if the process ends with another status than 0
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
