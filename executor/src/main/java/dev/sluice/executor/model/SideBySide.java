package dev.sluice.executor.model;

import dev.sluice.contract.file.UserMistakeException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Tasks that begin in order and run on several threads at once: engines load a model on one core,
 * and the other cores have nothing else to do by then.
 */
final class SideBySide {
  /** Largest number of threads: more would only hold more files in memory at once. */
  private static final int THREADS_MAX = 4;

  private final List<Task> tasks;
  private final AtomicInteger begun = new AtomicInteger();
  private final @Nullable Throwable[] failures;

  /** A task that a mistake of the user's can end. */
  interface Task {
    void run() throws UserMistakeException;
  }

  private SideBySide(List<Task> tasks) {
    this.tasks = List.copyOf(tasks);
    this.failures = new Throwable[tasks.size()];
  }

  /**
   * Runs all tasks, on this thread and others, and waits for them even if this thread is
   * interrupted. After a failure no further task begins.
   *
   * @throws UserMistakeException if a task threw it; of several failures, that of the first task
   */
  static void run(List<Task> tasks) throws UserMistakeException {
    new SideBySide(tasks).run(Runtime.getRuntime().availableProcessors());
  }

  private void run(int processors) throws UserMistakeException {
    var threads = new ArrayList<Thread>();
    for (int i = 1; i < Math.min(Math.min(processors, THREADS_MAX), tasks.size()); i++) {
      var thread = new Thread(this::work, "sluice-models-" + i);
      thread.setDaemon(true);
      thread.start();
      threads.add(thread);
    }
    work();
    threads.forEach(SideBySide::join);
    for (Throwable failure : failures) {
      if (failure instanceof UserMistakeException mistake) {
        throw mistake;
      }
      if (failure instanceof RuntimeException bug) {
        throw bug;
      }
      if (failure instanceof Error error) {
        throw error;
      }
    }
  }

  private void work() {
    for (int i = begun.getAndIncrement(); i < tasks.size(); i = begun.getAndIncrement()) {
      try {
        tasks.get(i).run();
      } catch (UserMistakeException | RuntimeException | Error e) {
        failures[i] = e; // read once this thread was joined
        begun.set(tasks.size());
      }
    }
  }

  private static void join(Thread thread) {
    boolean interrupted = false;
    while (thread.isAlive()) {
      try {
        thread.join();
      } catch (InterruptedException e) {
        interrupted = true; // an engine that loads a model must not be left alone
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
