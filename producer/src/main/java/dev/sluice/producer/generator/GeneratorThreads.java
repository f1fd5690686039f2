package dev.sluice.producer.generator;

import java.util.ArrayList;
import java.util.List;

/** Threads of the generators, one each. Not final, so that a test may run them in its own time. */
class GeneratorThreads {
  private final List<Thread> threads = new ArrayList<>();

  /** Starts a thread. It runs as promptly as the thread that calls this, see {@code Pacer}. */
  void start(String name, Runnable task) {
    var thread = new Thread(task, name);
    threads.add(thread);
    thread.start();
  }

  /** Whether no thread that was started still runs. */
  boolean allEnded() {
    return threads.stream().noneMatch(Thread::isAlive);
  }

  /** Waits until every thread has ended. */
  void join() throws InterruptedException {
    for (Thread thread : threads) {
      thread.join();
    }
  }
}
