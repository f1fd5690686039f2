package dev.sluice.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.harness.process.ChildProcess;
import dev.sluice.harness.process.ChildProcess.Spec;
import dev.sluice.harness.process.Supervisor;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Roles of one run as real processes, which end with the test. */
public final class Roles implements AutoCloseable {
  private static final Duration LIMIT = Duration.ofSeconds(300);

  /** Promises so long that the generators cannot be too late for them on a busy machine. */
  public static final List<String> UNHURRIED =
      List.of("--set", "classes.interactive.slo_ms=400000", "--set", "classes.batch.slo_ms=800000");

  private final Loop loop;
  private final String bootstrap;
  private final String runId;
  private final Path logs;
  private final Supervisor supervisor;

  Roles(Path folder, String bootstrap, String runId) throws IOException {
    this.loop = new Loop(folder, bootstrap);
    this.bootstrap = bootstrap;
    this.runId = runId;
    this.logs = Files.createDirectories(folder.resolve("logs-" + runId));
    supervisor =
        new Supervisor(
            logs, Files.createDirectories(folder.resolve("temporary")), (child, status) -> {});
  }

  /** Starts any command. */
  ChildProcess start(String name, String... arguments) throws IOException {
    return supervisor.start(
        new Spec(name, false, 256, 256, List.of(arguments), List.of(arguments), 0));
  }

  /** Starts a role of the run. */
  ChildProcess role(String name, String role, String... more) throws IOException {
    List<String> arguments =
        new ArrayList<>(
            List.of(
                role,
                loop.write(Loop.EMULATED).toString(),
                "--bootstrap",
                bootstrap,
                "--run-id",
                runId));
    arguments.addAll(UNHURRIED);
    arguments.addAll(List.of(more));
    return start(name, arguments.toArray(String[]::new));
  }

  /** Waits for the end of a role, which must have that status. */
  void awaitEnd(ChildProcess role, int status) throws Exception {
    awaitEnd(role);
    assertThat(role.process().exitValue())
        .as(() -> role.name() + " printed " + printed(role))
        .isEqualTo(status);
  }

  private static void awaitEnd(ChildProcess role) throws InterruptedException {
    assertThat(role.process().waitFor(LIMIT.toSeconds(), TimeUnit.SECONDS))
        .as(() -> role.name() + " ends; it printed " + printed(role))
        .isTrue();
  }

  /**
   * Waits for the end of a run, or of the role that says how it came out; see {@link
   * Loop.Ended#assertWhole}.
   */
  void awaitWhole(ChildProcess role) throws Exception {
    awaitEnd(role);
    new Loop.Ended(role.process().exitValue(), loop.folder(), printed(role)).assertWhole();
  }

  /** Waits until a role has printed these words. */
  void awaitPrinted(ChildProcess role, String words) throws InterruptedException {
    long endNs = System.nanoTime() + LIMIT.toNanos();
    while (!printed(role).contains(words)) {
      assertThat(role.isAlive()).as(() -> printed(role)).isTrue();
      assertThat(System.nanoTime()).as(() -> printed(role)).isLessThan(endNs);
      role.process().waitFor(100, TimeUnit.MILLISECONDS);
    }
  }

  static String printed(ChildProcess role) {
    try {
      return Files.readString(role.output());
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  Loop loop() {
    return loop;
  }

  @Override
  public void close() {
    supervisor.close();
  }
}
