package dev.sluice.layers.runtime;

import dev.sluice.contract.file.UserMistakeException;
import dev.sluice.harness.frame.FolderHold;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The folder of a run's trace: {@code DIR.running} while the run goes on, {@code DIR} as its last
 * act, and {@code DIR.failed} if it did not come to its end.
 */
public final class TraceFolder implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(TraceFolder.class);
  private static final String OPTION = "--trace";

  /** Files of a trace, which a run that starts again may replace. */
  static final List<String> FILES = List.of("layers.csv", "trace.json", "timeline.png");

  private final Path finished;
  private final Path running;
  private final Path failed;
  private final FolderHold hold;
  private boolean isFinished;

  private TraceFolder(Path finished, Path running, Path failed, FolderHold hold) {
    this.finished = finished;
    this.running = running;
    this.failed = failed;
    this.hold = hold;
  }

  /**
   * Makes the folder. What a killed run left under the running name is replaced, and so is what a
   * failed one left.
   *
   * @throws UserMistakeException if the folder is there already, another process works on it, or it
   *     cannot be written
   */
  public static TraceFolder create(Path folder) throws UserMistakeException {
    Path finished = folder.toAbsolutePath().normalize();
    UserMistakeException.throwIf(
        Files.exists(finished),
        OPTION,
        "the folder (" + folder + ") is there already",
        "you want another folder, or to move that one away");
    Path running = beside(finished, ".running");
    FolderHold hold = FolderHold.take(running, OPTION);
    return new TraceFolder(finished, running, beside(finished, ".failed"), hold);
  }

  private static Path beside(Path folder, String ending) {
    return folder.resolveSibling(folder.getFileName() + ending);
  }

  /** Path of one of the folder's files while the run goes on. */
  Path file(String name) {
    return running.resolve(name);
  }

  /** Gives the folder its final name, since the run is whole. */
  public Path finish() throws IOException {
    hold.close();
    Files.move(running, finished, StandardCopyOption.ATOMIC_MOVE);
    isFinished = true;
    return finished;
  }

  /** Marks the folder as failed, unless it is finished. */
  @Override
  public void close() {
    if (isFinished) {
      return;
    }
    try {
      hold.close();
      remove(failed);
      Files.move(running, failed, StandardCopyOption.ATOMIC_MOVE);
    } catch (IOException e) {
      LOG.warn("the unfinished trace stays behind in {}", running, e);
    }
  }

  private static void remove(Path earlier) throws IOException {
    if (Files.exists(earlier)) {
      for (String name : FILES) {
        Files.deleteIfExists(earlier.resolve(name));
      }
      Files.delete(earlier);
    }
  }
}
