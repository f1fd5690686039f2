package dev.sluice.producer.generator;

import java.util.ArrayList;
import java.util.List;

/**
 * Threads of the generators, one each. The class is not final, so that a test can run the threads
 * in its own time.
 */
class GeneratorThreads {
  private final List<Thread> threads = new ArrayList<>();

  /** Starts a thread, which is scheduled as promptly as the calling thread; see {@code Pacer}. */
  void start(String name, Runnable task) {
    var thread = new Thread(task, name);
    threads.add(thread);
    thread.start();
  }

  /** Returns whether all threads that were started have ended. */
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
