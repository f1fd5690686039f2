package dev.sluice.executor.model;

import dev.sluice.contract.file.UserMistakeException;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;

/**
 * Model files, written or checked one after the other on another thread while earlier files are
 * being loaded: hashing a file takes about as long as loading it. Used by one thread.
 */
final class CheckedFiles implements AutoCloseable {
  private final Queue<FutureTask<Path>> files = new ArrayDeque<>();
  private final Thread thread;

  /** Writes or checks one file and returns it, or throws a {@link UserMistakeException}. */
  interface Check extends Callable<Path> {
    @Override
    Path call() throws UserMistakeException;
  }

  /** Begins with the first check. */
  CheckedFiles(List<Check> checks) {
    checks.forEach(check -> files.add(new FutureTask<>(check)));
    List<FutureTask<Path>> inOrder = List.copyOf(files);
    thread = new Thread(() -> inOrder.forEach(FutureTask::run), "sluice-model-files");
    thread.setDaemon(true);
    thread.start();
  }

  /**
   * Waits for the next file, in the order of the checks.
   *
   * @throws UserMistakeException if the file's check threw it
   */
  Path next() throws UserMistakeException {
    FutureTask<Path> file = files.remove();
    boolean interrupted = false;
    try {
      while (true) {
        try {
          return file.get();
        } catch (InterruptedException e) {
          interrupted = true; // go on waiting, as if the file was checked on this thread
        }
      }
    } catch (ExecutionException e) {
      if (e.getCause() instanceof UserMistakeException mistake) {
        throw mistake;
      }
      if (e.getCause() instanceof RuntimeException bug) {
        throw bug;
      }
      throw new IllegalStateException("a model file could not be checked", e.getCause());
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  /** Waits for the file that is being checked, and checks no further one. */
  @Override
  public void close() {
    files.forEach(file -> file.cancel(false));
    boolean interrupted = false;
    while (thread.isAlive()) {
      try {
        thread.join();
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
