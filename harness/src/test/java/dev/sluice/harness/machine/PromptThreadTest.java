package dev.sluice.harness.machine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/** A thread's wish for short slices, as Linux takes it. */
final class PromptThreadTest {
  @Test
  void linuxTakesTheWish_andLeavesTheThreadsPriority() throws Exception {
    assumeThat(System.getProperty("os.name")).isEqualTo("Linux");
    assumeThat(System.getProperty("os.arch")).isIn("amd64", "aarch64");
    String before = priorityAndNice();
    assertThat(PromptThread.becomePrompt()).isTrue();
    assertThat(priorityAndNice()).isEqualTo(before);
  }

  /** Fields 18 and 19 of proc_pid_stat(5). */
  private static String priorityAndNice() throws Exception {
    String stat = Files.readString(Path.of("/proc/thread-self/stat"));
    String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ", -1);
    return fields[15] + " " + fields[16];
  }
}
