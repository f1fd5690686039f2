package dev.sluice.sweep.workspace;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import dev.sluice.harness.process.Launch;
import dev.sluice.sweep.queue.QueueState;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Sessions of a real tmux. */
@Tag("loop")
final class TmuxSessionsTest {
  @TempDir private Path folder;
  private String prefix = "";

  @BeforeEach
  void needsTmux() throws InterruptedException {
    assumeThat(TmuxSessions.isInstalled()).as("tmux is not installed").isTrue();
    prefix = "sluice-" + ProcessHandle.current().pid() + "-" + folder.getFileName();
  }

  @AfterEach
  void endsItsSessions() throws Exception {
    TmuxSessions.endAll(List.of(log("exp1"), log("x y"), log("scheduler")));
  }

  private Path log(String name) {
    return folder.resolve(name + ".log");
  }

  private static boolean isOpen(String name) throws IOException, InterruptedException {
    return Launch.of("tmux", "has-session", "-t", "=" + name).status() == 0;
  }

  @Test
  void openASessionBesideEachTask_namedAsBefore_andKeepIt() throws Exception {
    try (var sessions = new TmuxSessions(prefix + ":v1.0", this::log)) {
      Files.writeString(log("exp1"), "epoch 1\n");
      sessions.openScheduler(prefix + "_scheduler", log("scheduler"));
      sessions.begun("exp1", 0);
      sessions.begun("x y", QueueState.NO_GPU);
      sessions.ended("exp1", 0, false);
      sessions.ended("x y", QueueState.NO_GPU, true);
    }
    assertThat(isOpen(prefix + "_scheduler")).isTrue();
    assertThat(isOpen(prefix + "_v1_0_exp1_gpu0")).isTrue();
    assertThat(isOpen(prefix + "_v1_0_x y")).isFalse();
    TmuxSessions.endAll(List.of(log("exp1")));
    assertThat(isOpen(prefix + "_v1_0_exp1_gpu0")).isFalse();
    assertThat(isOpen(prefix + "_scheduler")).isTrue();
  }
}
