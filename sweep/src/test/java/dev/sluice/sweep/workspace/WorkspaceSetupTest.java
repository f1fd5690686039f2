package dev.sluice.sweep.workspace;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.contract.file.UserMistakeException;
import dev.sluice.harness.machine.Console;
import dev.sluice.harness.process.Launch;
import dev.sluice.sweep.workspace.WorkspaceConfig.WorkspaceKey;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What setup writes, and what it leaves of an old workspace. */
final class WorkspaceSetupTest {
  private static final Console SILENT =
      new Console(new PrintStream(OutputStream.nullOutputStream()), false);

  @TempDir private Path parent;
  private Path folder = Path.of("");
  private Path launcher = Path.of("");

  @BeforeEach
  void namesAFolderWithAQuote() {
    folder = parent.resolve("vision 1");
    launcher = parent.resolve("it's sluice");
  }

  private void setUp(boolean force) throws UserMistakeException {
    new WorkspaceSetup(folder, launcher, SILENT).execute(force);
  }

  private String config() throws Exception {
    return Files.readString(folder.resolve("scheduler_config.yml"));
  }

  @Test
  void writesEveryKey_withItsCommentAndItsDefault() throws Exception {
    setUp(false);
    for (WorkspaceKey key : WorkspaceKey.values()) {
      assertThat(config()).containsPattern("(?m)^(# )?" + key.key() + ": .* # \\Q" + key.comment());
    }
    assertThat(config()).contains("task_name: \"vision_1\"", "max_jobs_per_gpu: 2 ");
    assertThat(folder.resolve("configs")).isDirectory();
    assertThat(folder.resolve("out")).isDirectory();
    WorkspaceConfig read =
        WorkspaceConfig.read(folder.resolve("scheduler_config.yml"), folder.toAbsolutePath());
    assertThat(read.rules().gpus()).containsExactly(0, 1);
  }

  @Test
  void refusesAWorkspace_andChangesNothing() throws Exception {
    Files.createDirectories(folder);
    Files.writeString(folder.resolve("scheduler.sh"), "old");
    assertThatThrownBy(() -> setUp(false))
        .isInstanceOf(UserMistakeException.class)
        .hasMessageContaining("scheduler.sh: error: the folder is a workspace already.")
        .hasMessageContaining("--force");
    assertThat(folder.resolve("scheduler.sh")).hasContent("old");
    assertThat(folder.resolve("scheduler_config.yml")).doesNotExist();
  }

  @Test
  void takesAnOldWorkspaceOver_withItsValues() throws Exception {
    Files.createDirectories(folder);
    Files.writeString(folder.resolve("scheduler.sh"), "old");
    String old = "# mine\ntask_name: \"nlp\"   # kept\nmax_jobs_per_gpu: 4";
    Files.writeString(folder.resolve("scheduler_config.yml"), old);
    setUp(true);
    assertThat(folder.resolve("scheduler.sh.bak")).hasContent("old");
    assertThat(config()).startsWith(old + "\n").containsOnlyOnce("task_name:");
    WorkspaceConfig read =
        WorkspaceConfig.read(folder.resolve("scheduler_config.yml"), folder.toAbsolutePath());
    assertThat(read.names().task()).isEqualTo("nlp");
    assertThat(read.rules().perGpu()).isEqualTo(4);

    String whole = config();
    setUp(true);
    assertThat(config()).isEqualTo(whole);
    assertThat(folder.resolve("scheduler.sh.bak2")).doesNotExist();
  }

  @Test
  void leavesAnOldConfigAlone_thatCannotBeRead() throws Exception {
    Files.createDirectories(folder);
    Files.writeString(folder.resolve("scheduler_config.yml"), "- a list\n");
    assertThatThrownBy(() -> setUp(true)).hasMessageContaining("scheduler_config.yml:1: error:");
    assertThat(config()).isEqualTo("- a list\n");
    assertThat(folder.resolve("scheduler.sh")).doesNotExist();
  }

  @Test
  @Tag("loop")
  void wrapsTheLauncher_withItsFolder_whateverTheirNames() throws Exception {
    Files.writeString(launcher, "#!/bin/sh\nprintf '<%s>' \"$@\"\n");
    Files.setPosixFilePermissions(launcher, PosixFilePermissions.fromString("rwx------"));
    setUp(false);
    String wrapper = folder.resolve("scheduler.sh").toString();
    assertThat(Launch.of(wrapper, "start", "a b.yml,c.yml", "1,0").printed("wrapper"))
        .isEqualTo(
            "<sweep><start><--config><%s/scheduler_config.yml><--workspace><%s><a b.yml,c.yml><1,0>"
                .formatted(folder, folder));
    assertThat(Launch.of(wrapper).printed("wrapper")).isEqualTo("<sweep><--help>");
    Files.delete(launcher);
    assertThat(Launch.of(wrapper, "status").status()).isEqualTo(2);
  }
}
