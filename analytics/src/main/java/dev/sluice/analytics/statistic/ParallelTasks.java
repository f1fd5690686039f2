package dev.sluice.analytics.statistic;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/** Works on the same rows beside one another, a thread for each processor. */
public final class ParallelTasks implements AutoCloseable {
  private final ExecutorService threads =
      Executors.newFixedThreadPool(Runtime.getRuntime().availableProcessors());
  private final List<Future<?>> begun = new ArrayList<>();

  public ParallelTasks() {}

  /** Something to do that may fail to write. */
  public interface Task {
    void run() throws IOException;
  }

  public void begin(Task task) {
    begun.add(
        threads.submit(
            () -> {
              task.run();
              return null;
            }));
  }

  /**
   * Waits until all works that have begun are over, whether they fail or not.
   *
   * @throws IOException if one of them could not write: the first that begun
   */
  public void await() throws IOException {
    List<Throwable> failures = new ArrayList<>();
    for (Future<?> work : begun) {
      try {
        work.get();
      } catch (ExecutionException e) {
        failures.add(e.getCause());
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new IOException("interrupted", e);
      }
    }
    begun.clear();
    for (Throwable failure : failures) {
      if (failure instanceof IOException io) {
        throw io;
      }
      if (failure instanceof RuntimeException mistake) {
        throw mistake;
      }
      if (failure instanceof Error error) { // a full heap is told as such
        throw error;
      }
      throw new IllegalStateException(failure);
    }
  }

  @Override
  public void close() {
    threads.shutdownNow();
  }
}
