package dev.sluice.harness.process;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Processes as /proc shows them. */
@Timeout(600)
final class ProcessIdentityTest {
  @Test
  void thisProcess_isAlive_inThisBootAlone() throws Exception {
    ProcessIdentity own = ProcessIdentity.ofThis();
    assertThat(own.isAlive(own.boot())).isTrue();
    assertThat(own.isAlive("00000000-0000-0000-0000-000000000000")).isFalse();
    assertThat(ProcessIdentity.parse(own.toString())).contains(own);
  }

  @Test
  void aPidThatAnotherProcessHasNow_isNotTheOldOne() throws Exception {
    ProcessIdentity own = ProcessIdentity.ofThis();
    var earlier = new ProcessIdentity(own.boot(), own.pid(), own.startTicks() - 1);
    assertThat(earlier.isAlive(own.boot())).isFalse();
  }

  /** A shell becomes a program that never waits for the shell's child, and the child ends. */
  @Test
  void aZombie_isDead() throws Exception {
    String script =
        "{ read -r stat </proc/self/stat; echo $stat; read -r go; } <&0 & exec sleep 1000"
            + " </dev/null";
    Process parent =
        Launch.of("/bin/sh", "-c", "exec 3<&0; " + script.replace("<&0", "<&3")).start();
    try (var told = parent.inputReader()) {
      String[] stat = told.readLine().split(" ", -1);
      long pid = Long.parseLong(stat[0]);
      var child = new ProcessIdentity(ProcessIdentity.presentBoot(), pid, Long.parseLong(stat[21]));
      assertThat(child.isAlive(child.boot())).isTrue();
      parent.getOutputStream().close(); // the child's line never comes: it ends
      while (child.isAlive(child.boot())) {
        Thread.onSpinWait();
      }
      assertThat(Launch.of("kill", "-0", Long.toString(pid)).status()).isZero(); // still a zombie
      assertThat(ProcessIdentity.ofSession(ProcessHandle.current().pid())).doesNotContain(pid);
    } finally {
      parent.destroyForcibly().waitFor();
    }
  }

  @Test
  void findsProcesses_byAVariable_thatTheyInherited() throws Exception {
    String name = "SLUICE_TEST_" + ProcessHandle.current().pid();
    Process one =
        Launch.of("/bin/sh", "-c", "setsid sleep 1000 & read -r go; kill $!")
            .environment(Map.of(name, "one"))
            .start();
    Process two = Launch.of("sleep", "1000").environment(Map.of(name, "two")).start();
    try {
      Map<String, List<Long>> found = Map.of();
      while (found.getOrDefault("one", List.of()).size() < 2) {
        found = ProcessIdentity.withVariable(name, Set.of("one", "three"));
      }
      assertThat(found).containsOnlyKeys("one");
      assertThat(found.get("one")).contains(one.pid()).doesNotContain(two.pid());
      assertThat(ProcessIdentity.withVariable(name, "two")).containsExactly(two.pid());
    } finally {
      one.getOutputStream().close();
      two.destroyForcibly().waitFor();
      one.waitFor();
    }
  }
}
