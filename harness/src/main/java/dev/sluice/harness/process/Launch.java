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
import org.jspecify.annotations.Nullable;

/**
 * A process to start: its command line, and where its output goes. Output comes through a pipe
 * unless a method says otherwise. Immutable; each {@link #start} starts one more process.
 */
public final class Launch {
  private static final Path NICE = Path.of("/usr/bin/nice");
  private static final Redirect NOTHING = Redirect.from(new File("/dev/null"));

  private final List<String> command;
  private final Redirect output;
  private final Redirect errors;
  private final boolean joined;
  private final Map<String, String> environment;
  private final List<String> removed;
  private final Redirect input;
  private final @Nullable Path directory;

  private Launch(
      List<String> command,
      Redirect output,
      Redirect errors,
      boolean joined,
      Map<String, String> environment,
      List<String> removed,
      Redirect input,
      @Nullable Path directory) {
    this.command = List.copyOf(command);
    this.environment = Map.copyOf(environment);
    this.removed = List.copyOf(removed);
    this.input = input;
    this.directory = directory;
    this.output = output;
    this.errors = errors;
    this.joined = joined;
  }

  /** A process of a program with arguments. */
  public static Launch of(List<String> command) {
    return new Launch(
        command, Redirect.PIPE, Redirect.PIPE, false, Map.of(), List.of(), Redirect.PIPE, null);
  }

  /** A process of a program with arguments. */
  public static Launch of(String... command) {
    return of(List.of(command));
  }

  /** Sends standard output to a target. */
  public Launch output(Redirect to) {
    return new Launch(command, to, errors, joined, environment, removed, input, directory);
  }

  /** Sends standard error to a target. */
  public Launch errors(Redirect to) {
    return new Launch(command, output, to, false, environment, removed, input, directory);
  }

  /** Sends standard error where standard output goes. */
  public Launch errorsToOutput() {
    return new Launch(command, output, errors, true, environment, removed, input, directory);
  }

  /** Adds variables to the environment that the process inherits. */
  public Launch environment(Map<String, String> variables) {
    return new Launch(command, output, errors, joined, variables, removed, input, directory);
  }

  /** Takes variables out of the environment that the process inherits. */
  public Launch without(List<String> variables) {
    return new Launch(command, output, errors, joined, environment, variables, input, directory);
  }

  /** Gives the process no standard input, and this folder to work in. */
  public Launch in(Path folder) {
    return new Launch(command, output, errors, joined, environment, removed, NOTHING, folder);
  }

  /**
   * Gives the process a session of its own, whose leader it is, so that it outlives this process
   * and its terminal. The program {@code setsid} becomes the process itself.
   */
  public Launch ownSession() {
    List<String> led = new ArrayList<>(List.of("setsid"));
    led.addAll(command);
    return new Launch(led, output, errors, joined, environment, removed, input, directory);
  }

  /** Gives the process the least share of the processors, where the system has {@code nice}. */
  public Launch leastPriority() {
    if (!Files.isExecutable(NICE)) {
      return this;
    }
    List<String> niced = new ArrayList<>(List.of(NICE.toString(), "-n", "19"));
    niced.addAll(command);
    return new Launch(niced, output, errors, joined, environment, removed, input, directory);
  }

  /**
   * Starts the process, and returns its handle.
   *
   * @throws IOException if there is no such program
   */
  public Process start() throws IOException {
    ProcessBuilder builder =
        new ProcessBuilder(command)
            .redirectErrorStream(joined)
            .redirectInput(input)
            .redirectOutput(output)
            .redirectError(errors);
    if (directory != null) {
      builder.directory(directory.toFile());
    }
    removed.forEach(builder.environment()::remove);
    builder.environment().putAll(environment);
    return builder.start();
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
    Process process = start();
    String printed = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    if (process.waitFor() != 0) {
      throw new IOException(what + " ended with status " + process.exitValue());
    }
    return printed;
  }
}
