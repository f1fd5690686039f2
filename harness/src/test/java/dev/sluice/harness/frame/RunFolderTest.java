package dev.sluice.harness.frame;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.contract.file.UserMistakeException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A run's folder, and what it says of the run. */
final class RunFolderTest {
  @TempDir private Path results;

  @Test
  void aRunIsOver_whenItsFinishedFolderIsThere() throws Exception {
    Files.createDirectory(results.resolve("first"));
    assertThatThrownBy(() -> RunFolder.refuseFinished(results, "first"))
        .isInstanceOf(UserMistakeException.class)
        .hasMessageStartingWith("--run-id: error: the run (first) has ended, and left (");
  }

  @Test
  void aRunIsNotOver_whenItRunsOrFailed() throws Exception {
    Files.createDirectory(results.resolve("first.running"));
    Files.createDirectory(results.resolve("first.failed"));
    assertThatCode(() -> RunFolder.refuseFinished(results, "first")).doesNotThrowAnyException();
  }
}
