package dev.sluice.executor;

import dev.sluice.contract.DispatchId;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * One thread that lives as long as its executor, and the dispatch that it holds. An engine may keep
 * memory for each thread that ran an inference, so a lane never changes its thread.
 */
final class Lane {
  private final int index;
  private final ExecutorService thread;
  private final AtomicReference<@Nullable DispatchId> holds = new AtomicReference<>();

  /** Used by the lane's thread alone. */
  private @Nullable LaneWork work;

  /** Something to do with the lane's work, on its thread. */
  interface Task<T> {
    T run(LaneWork work) throws Exception;
  }

  Lane(int index, String threadName) {
    this.index = index;
    this.thread =
        Executors.newSingleThreadExecutor(
            task -> {
              var made = new Thread(task, threadName);
              made.setDaemon(true);
              return made;
            });
  }

  int index() {
    return index;
  }

  Future<?> open(Callable<LaneWork> opening) {
    return thread.submit(
        () -> {
          work = opening.call();
          return null;
        });
  }

  <T> Future<T> submit(Task<T> task) {
    return thread.submit(() -> task.run(opened()));
  }

  /** Runs the task when the thread is free. It must not throw: nobody would be told. */
  void execute(Consumer<LaneWork> task) {
    thread.execute(() -> task.accept(opened()));
  }

  private LaneWork opened() {
    if (work == null) {
      throw new IllegalStateException("lane " + index + " is not open");
    }
    return work;
  }

  /** Takes the lane for a dispatch; false if it holds one. */
  boolean hold(DispatchId dispatch) {
    return holds.compareAndSet(null, dispatch);
  }

  /** The lane is free again: called before its completion is sent, which may bring the next. */
  void release() {
    holds.set(null);
  }

  /** The dispatch that it holds; null if it is free. */
  @Nullable DispatchId holds() {
    return holds.get();
  }

  /** Lets the lane finish what it holds, closes its work on its own thread, and waits for both. */
  void close() {
    thread.execute(
        () -> {
          if (work != null) {
            work.close();
          }
        });
    thread.shutdown();
    boolean interrupted = false;
    while (!thread.isTerminated()) {
      try {
        if (thread.awaitTermination(1, TimeUnit.HOURS)) {
          break;
        }
      } catch (InterruptedException e) {
        interrupted = true; // a model must not be closed under a lane that predicts
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
