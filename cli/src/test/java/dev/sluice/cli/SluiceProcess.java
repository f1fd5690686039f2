package dev.sluice.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.harness.process.ChildJvm;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** A process as a person starts it in a terminal, with all that it prints. */
final class SluiceProcess implements AutoCloseable {
  /** Longest wait for what a process should do. */
  static final Duration LIMIT = Duration.ofSeconds(300);

  private final Process process;
  private final Screen screen = new Screen();

  private SluiceProcess(List<String> command, Map<String, String> environment) throws IOException {
    var builder = new ProcessBuilder(command).redirectErrorStream(true);
    builder.environment().putAll(environment);
    process = builder.start();
    var reader =
        new Thread(
            () -> {
              try (var output = process.getInputStream()) {
                output.transferTo(screen);
              } catch (IOException e) {
                screen.stream().println(e);
              }
            },
            "screen-reader");
    reader.setDaemon(true);
    reader.start();
  }

  /** Starts one of Sluice's commands, whose output is no terminal. */
  static SluiceProcess piped(List<String> arguments) throws IOException {
    return sluice(Map.of(), List.of(), arguments);
  }

  /** Starts one of Sluice's commands with options of Java. */
  static SluiceProcess withOptions(List<String> options, List<String> arguments)
      throws IOException {
    return sluice(Map.of(), options, arguments);
  }

  /** Starts one of Sluice's commands, which takes its output for a terminal. */
  static SluiceProcess onTerminal(String... arguments) throws IOException {
    return onTerminal(Map.of(), arguments);
  }

  /** Starts one of Sluice's commands with more variables in its environment. */
  static SluiceProcess onTerminal(Map<String, String> environment, String... arguments)
      throws IOException {
    return sluice(environment, List.of("-Dsluice.terminal=true"), List.of(arguments));
  }

  private static SluiceProcess sluice(
      Map<String, String> environment, List<String> options, List<String> arguments)
      throws IOException {
    List<String> command = new ArrayList<>();
    command.addAll(List.of("env", "--default-signal=INT")); // a job in the background ignores it
    command.addAll(ChildJvm.sluice(options, arguments));
    return new SluiceProcess(command, environment);
  }

  /** Starts any other program. */
  static SluiceProcess of(String... command) throws IOException {
    return new SluiceProcess(List.of(command), Map.of());
  }

  Screen screen() {
    return screen;
  }

  ProcessHandle handle() {
    return process.toHandle();
  }

  /** Sends the process a signal, as INT or KILL. */
  void signal(String name) throws IOException, InterruptedException {
    signal(process.toHandle(), name);
  }

  /** Sends any process a signal. */
  static void signal(ProcessHandle handle, String name) throws IOException, InterruptedException {
    var kill = new ProcessBuilder("kill", "-" + name, Long.toString(handle.pid())).start();
    assertThat(kill.waitFor()).as("status of kill").isZero();
  }

  /** The exit status, once the process has ended. */
  int exitStatus() throws InterruptedException {
    assertThat(process.waitFor(LIMIT.toSeconds(), TimeUnit.SECONDS)).as(screen.text()).isTrue();
    return process.exitValue();
  }

  /** Ends the process and all that it started. */
  @Override
  public void close() throws InterruptedException {
    process.descendants().forEach(ProcessHandle::destroyForcibly);
    process.destroyForcibly().waitFor();
  }
}
