package dev.sluice.harness.frame;

import static org.assertj.core.api.Assertions.assertThat;
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

  @Test
  void theFailedFolder_isNamedAsItWillStand_inASeriesAndInOneOfTwoSettings() throws Exception {
    assertThat(failedPath(results)).isEqualTo(results.resolve("first.failed"));
    assertThat(failedPath(results.resolve("series.running")))
        .isEqualTo(results.resolve("series.failed/first.failed"));
    Path setting = results.resolve("versus.running/b.running"); // it goes on with the same command
    assertThat(failedPath(setting)).isEqualTo(setting.resolve("first.failed"));
  }

  private static Path failedPath(Path series) throws Exception {
    try (var folder = RunFolder.create(series, "first")) {
      return folder.failedPath();
    }
  }
}
