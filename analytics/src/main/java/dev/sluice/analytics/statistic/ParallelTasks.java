package dev.sluice.analytics.statistic;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/** Works on the same rows beside one another, a thread for each processor. */
public final class ParallelTasks {
  private ParallelTasks() {}

  /** Something to do that may fail to write. */
  public interface Task {
    void run() throws IOException;
  }

  public static void run(List<Task> tasks) throws IOException {
    run(tasks, () -> {});
  }

  /**
   * Runs tasks until all are over, whether they fail or not.
   *
   * @param meanwhile what the caller's thread does beside them, whose failure does not stop them
   * @throws IOException if one of them could not write: the first of the list
   */
  public static void run(List<Task> tasks, Task meanwhile) throws IOException {
    ExecutorService threads =
        Executors.newFixedThreadPool(Runtime.getRuntime().availableProcessors());
    try {
      List<Future<?>> begun = new ArrayList<>();
      for (Task task : tasks) {
        begun.add(
            threads.submit(
                () -> {
                  task.run();
                  return null;
                }));
      }
      try {
        meanwhile.run();
      } finally {
        await(begun);
      }
    } finally {
      threads.shutdownNow();
    }
  }

  private static void await(List<Future<?>> begun) throws IOException {
    Throwable first = null;
    for (Future<?> task : begun) {
      try {
        task.get();
      } catch (ExecutionException e) {
        first = first == null ? e.getCause() : first;
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new IOException("interrupted", e);
      }
    }
    if (first instanceof IOException io) {
      throw io;
    }
    if (first instanceof RuntimeException mistake) {
      throw mistake;
    }
    if (first instanceof Error error) { // a full heap is told as such
      throw error;
    }
    if (first != null) {
      throw new IllegalStateException(first);
    }
  }
}
