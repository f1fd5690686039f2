package dev.sluice.cli;

import static dev.sluice.cli.BadInputCommand.sluice;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code ./sluice sweep setup} as a person gives it. */
final class SweepSetupCommandTest {
  @TempDir private Path folder;

  @Test
  void makesAWorkspaceOnce_andTakesItOverWithForce() throws Exception {
    String vision = folder.resolve("vision").toString();
    BadInputCommand made = sluice("sweep", "setup", vision);
    assertThat(made.status()).as(made.err()).isZero();
    assertThat(made.out()).contains("scheduler_config.yml", "./scheduler.sh start");
    assertThat(Files.isExecutable(folder.resolve("vision/scheduler.sh"))).isTrue();
    sluice("sweep", "setup", vision).isRefused(1).says("the folder is a workspace already");
    assertThat(sluice("sweep", "setup", vision, "--force").status()).isZero();
  }

  @Test
  void refusesAFolderThatCannotBeMade() throws Exception {
    Path file = Files.writeString(folder.resolve("vision"), "");
    sluice("sweep", "setup", file.toString()).isRefused(1).says("the workspace cannot be written");
  }
}
