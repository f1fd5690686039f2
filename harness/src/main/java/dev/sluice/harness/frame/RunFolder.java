package dev.sluice.harness.frame;

import dev.sluice.contract.file.UserMistakeException;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A run's folder: {@code <run_id>.running} while it runs, {@code <run_id>} as its last act, {@code
 * <run_id>.failed} if it failed. Temporary files of the run live inside, so that nothing stays
 * behind elsewhere however the process ends.
 */
public final class RunFolder implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(RunFolder.class);
  private static final String TEMPORARY = "temporary";
  private static final String LOCK = ".lock";

  private final Path finished;
  private final Path failed;
  private Path current;
  private boolean discarded;

  /** True if another process had files here before. */
  private boolean foreign;

  /**
   * Lock held while this process writes the folder, where several processes might; null: only this
   * one can.
   */
  private @Nullable FileChannel lock;

  private RunFolder(Path results, String runId) {
    finished = results.resolve(runId);
    failed = results.resolve(runId + ".failed");
    current = results.resolve(runId + ".running");
  }

  /**
   * Makes the folder.
   *
   * @throws UserMistakeException if the folder exists already, or cannot be written
   */
  public static RunFolder create(Path results, String runId) throws UserMistakeException {
    var folder = new RunFolder(results, runId);
    folder.refuseIfTaken(List.of(folder.finished, folder.failed, folder.current));
    try {
      Files.createDirectories(results);
      Files.createDirectory(folder.current);
      Files.createDirectory(folder.temporary());
    } catch (IOException e) {
      throw notWritable(results, e);
    }
    return folder;
  }

  /**
   * Makes the folder for several processes, one of which takes it over.
   *
   * @return path of the folder until it is taken over
   * @throws UserMistakeException if the folder exists already, or cannot be written
   */
  public static Path prepare(Path results, String runId) throws UserMistakeException {
    var folder = new RunFolder(results, runId);
    folder.refuseIfTaken(List.of(folder.finished, folder.failed, folder.current));
    try {
      Files.createDirectories(results);
      return Files.createDirectory(folder.current);
    } catch (IOException e) {
      throw notWritable(results, e);
    }
  }

  /**
   * Takes over the folder that another process of the run has made or left, or makes one.
   *
   * @throws UserMistakeException if the run is finished, another process works on its folder, or it
   *     cannot be written
   */
  public static RunFolder takeOver(Path results, String runId) throws UserMistakeException {
    var folder = new RunFolder(results, runId);
    folder.refuseIfTaken(List.of(folder.finished, folder.failed));
    try {
      Files.createDirectories(results);
      folder.foreign = Files.exists(folder.current);
      Files.createDirectories(folder.temporary());
      folder.lock =
          FileChannel.open(
              folder.current.resolve(LOCK), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
      if (folder.lock.tryLock() == null) {
        throw new UserMistakeException(
            "--run-id",
            "another process makes the run's folder (" + folder.current + ")",
            "another ./sluice analyze has joined the run, or you want another --results");
      }
    } catch (IOException e) {
      throw notWritable(results, e);
    }
    return folder;
  }

  /**
   * Refuses to take part in a run that is over: its topics are gone, and would be made anew.
   *
   * @throws UserMistakeException if the run's finished folder is there
   */
  public static void refuseFinished(Path results, String runId) throws UserMistakeException {
    Path finished = results.resolve(runId);
    if (Files.exists(finished)) {
      throw new UserMistakeException(
          "--run-id",
          "the run (" + runId + ") has ended, and left (" + finished + ")",
          "you want another --run-id, or to move that folder away");
    }
  }

  /** The folder of all runs: the given one, or {@code results} beside {@code ./sluice}. */
  public static Path results(@Nullable Path told) {
    return told != null ? told : Path.of(System.getProperty("sluice.home", ".")).resolve("results");
  }

  private void refuseIfTaken(List<Path> folders) throws UserMistakeException {
    for (Path taken : folders) {
      if (Files.exists(taken)) {
        throw new UserMistakeException(
            "--run-id",
            "a run with this id has left a folder (" + taken + ")",
            "you want another --run-id, or to move that folder away");
      }
    }
  }

  private static UserMistakeException notWritable(Path results, IOException e) {
    return new UserMistakeException(
        "--results",
        "the folder cannot be written (" + results + ": " + UserMistakeException.reason(e) + ")",
        "you want another --results, or lack the right to write there");
  }

  /** The present path of the folder. */
  public Path path() {
    return current;
  }

  public Path log() {
    return current.resolve("run.log");
  }

  /** The folder of files that last as long as the run. */
  public Path temporary() {
    return current.resolve(TEMPORARY);
  }

  /** The path of the folder if the run fails. */
  public Path failedPath() {
    return failed;
  }

  /** Removes the temporary files and leaves the rest as it is, for a process that ends at once. */
  public void abandon() {
    try {
      removeTemporary();
    } catch (IOException e) {
      LOG.error("temporary files stay behind in {}", temporary(), e);
    }
  }

  /** Gives the folder its final name, since the run is whole. */
  public Path finish() throws IOException {
    removeTemporary();
    Files.move(current, finished, StandardCopyOption.ATOMIC_MOVE);
    current = finished;
    return finished;
  }

  /** Removes the folder, unless another process had files in it before. */
  public void discard() throws IOException {
    if (foreign) {
      removeTemporary();
    } else {
      removeTree(current);
    }
    discarded = true;
  }

  /** Removes the folder with the files of all processes. */
  public void discardAll() throws IOException {
    foreign = false;
    discard();
  }

  /** Marks a folder as failed that was neither finished nor discarded. */
  @Override
  public void close() throws IOException {
    if (!discarded && !current.equals(finished)) {
      removeTemporary();
      Files.move(current, failed, StandardCopyOption.ATOMIC_MOVE);
      current = failed;
    }
    if (lock != null) {
      lock.close();
    }
  }

  private void removeTemporary() throws IOException {
    removeTree(temporary());
    Files.deleteIfExists(current.resolve(LOCK));
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
