package dev.sluice.cli;

import dev.sluice.contract.UserMistakeException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A run's folder: {@code <run_id>.running} while it runs, {@code <run_id>} as its last act, {@code
 * <run_id>.failed} if it came to nothing. Temporary files of the run live inside, so that nothing
 * stays behind elsewhere however the process ends.
 */
final class RunFolder implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(RunFolder.class);
  private static final String TEMPORARY = "temporary";

  private final Path finished;
  private final Path failed;
  private Path current;
  private boolean discarded;

  private RunFolder(Path results, String runId) {
    finished = results.resolve(runId);
    failed = results.resolve(runId + ".failed");
    current = results.resolve(runId + ".running");
  }

  /**
   * Makes the folder.
   *
   * @throws UserMistakeException if it is there already, or can not be written
   */
  static RunFolder create(Path results, String runId) throws UserMistakeException {
    var folder = new RunFolder(results, runId);
    for (Path taken : List.of(folder.finished, folder.failed, folder.current)) {
      if (Files.exists(taken)) {
        throw new UserMistakeException(
            "--run-id",
            "a run with this id has left a folder (" + taken + ")",
            "you want another --run-id, or to move that folder away");
      }
    }
    try {
      Files.createDirectories(results);
      Files.createDirectory(folder.current);
      Files.createDirectory(folder.temporary());
    } catch (IOException e) {
      throw new UserMistakeException(
          "--results",
          "the folder can not be written (" + results + ": " + UserMistakeException.reason(e) + ")",
          "you want another --results, or have to give yourself the right to write there");
    }
    return folder;
  }

  /** Where it is now. */
  Path path() {
    return current;
  }

  Path log() {
    return current.resolve("run.log");
  }

  /** For files that last as long as the run. */
  Path temporary() {
    return current.resolve(TEMPORARY);
  }

  /** Where it will be if the run comes to nothing. */
  Path failedPath() {
    return failed;
  }

  /** The process ends at once: takes away the temporary files, and leaves the rest as it is. */
  void abandon() {
    try {
      removeTemporary();
    } catch (IOException e) {
      LOG.error("temporary files stay behind in {}", temporary(), e);
    }
  }

  /** The run is whole: the folder gets its name. */
  Path finish() throws IOException {
    removeTemporary();
    Files.move(current, finished, StandardCopyOption.ATOMIC_MOVE);
    current = finished;
    return finished;
  }

  /** There was nothing to keep: the folder goes. */
  void discard() throws IOException {
    removeTree(current);
    discarded = true;
  }

  /** A folder that was neither finished nor discarded is marked as failed. */
  @Override
  public void close() throws IOException {
    if (!discarded && !current.equals(finished)) {
      removeTemporary();
      Files.move(current, failed, StandardCopyOption.ATOMIC_MOVE);
      current = failed;
    }
  }

  private void removeTemporary() throws IOException {
    removeTree(temporary());
  }

  private static void removeTree(Path root) throws IOException {
    if (!Files.exists(root)) {
      return;
    }
    try (Stream<Path> tree = Files.walk(root)) {
      for (Path path : tree.sorted(Comparator.reverseOrder()).toList()) {
        Files.deleteIfExists(path);
      }
    }
  }
}
