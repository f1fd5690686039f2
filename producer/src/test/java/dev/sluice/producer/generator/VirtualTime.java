package dev.sluice.producer.generator;

import dev.sluice.contract.log.Pacer;
import dev.sluice.producer.generator.Senders.GeneratorThreads;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;

/**
 * Time that several threads share and that no clock drives. It moves only in {@link #pass}, when
 * every generator's thread waits; then one thread goes on at a time, in the order of their due
 * times and names. Every run therefore takes an equal course, and no thread sleeps.
 */
final class VirtualTime implements Pacer {
  private final Map<Thread, Long> wakeAtNs = new HashMap<>();
  private final Set<Thread> alive = new HashSet<>();
  private long nowNs;

  synchronized long nowNs() {
    return nowNs;
  }

  /** Simulates work that takes a while on a generator's thread. */
  void takes(long ns) {
    try {
      awaitNs(nowNs() + ns);
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  @Override
  public synchronized void awaitNs(long untilNs) throws InterruptedException {
    Thread thread = Thread.currentThread();
    if (!alive.contains(thread)) {
      nowNs = Math.max(nowNs, untilNs);
      return;
    }
    wakeAtNs.put(thread, untilNs);
    notifyAll();
    while (wakeAtNs.containsKey(thread)) {
      wait();
    }
  }

  /**
   * Lets time pass up to a moment while the generators work.
   *
   * @param untilNs asked again after each step
   * @param early whether to return before that moment
   */
  synchronized void pass(LongSupplier untilNs, BooleanSupplier early) throws InterruptedException {
    while (true) {
      while (!wakeAtNs.keySet().containsAll(alive)) {
        wait();
      }
      if (early.getAsBoolean()) {
        return;
      }
      Map.Entry<Thread, Long> next =
          wakeAtNs.entrySet().stream()
              .min(
                  Map.Entry.<Thread, Long>comparingByValue()
                      .thenComparing(
                          Map.Entry.comparingByKey(Comparator.comparing(Thread::getName))))
              .orElse(null);
      long limitNs = untilNs.getAsLong();
      if (next == null || next.getValue() > limitNs) {
        nowNs = Math.max(nowNs, limitNs);
        return;
      }
      nowNs = Math.max(nowNs, next.getValue());
      wakeAtNs.remove(next.getKey());
      notifyAll();
    }
  }

  private synchronized boolean noneAlive() {
    return alive.isEmpty();
  }

  private synchronized void begins(Thread thread) {
    alive.add(thread);
  }

  private synchronized void ends(Thread thread) {
    alive.remove(thread);
    notifyAll();
  }

  /** Threads that live in this time. */
  GeneratorThreads threads() {
    return new GeneratorThreads() {
      @Override
      void start(String name, Runnable task) {
        var thread =
            new Thread(
                () -> {
                  try {
                    task.run();
                  } finally {
                    ends(Thread.currentThread());
                  }
                },
                name);
        thread.setDaemon(true);
        begins(thread);
        thread.start();
      }

      @Override
      boolean allEnded() {
        return noneAlive();
      }

      @Override
      void join() throws InterruptedException {
        while (!noneAlive()) {
          // each step wakes one thread, until none is left
          pass(() -> noneAlive() ? nowNs() : Long.MAX_VALUE, () -> noneAlive());
        }
      }
    };
  }
}
