package dev.sluice.executor;

import dev.sluice.contract.Pacer;
import dev.sluice.contract.ProcessClock;
import java.time.Instant;
import java.time.InstantSource;

/** A clock that the test moves, and a pacer that waits for it. */
final class VirtualTime implements Pacer {
  private long nowNs;
  private long awaitedNs = -1;

  ProcessClock clock() {
    return new ProcessClock(InstantSource.fixed(Instant.EPOCH), this::nowNs);
  }

  synchronized long nowNs() {
    return nowNs;
  }

  @Override
  public synchronized void awaitNs(long monotonicNs) throws InterruptedException {
    awaitedNs = monotonicNs;
    notifyAll();
    while (nowNs < monotonicNs) {
      wait();
    }
  }

  /** Returns when somebody waits for that time. */
  synchronized void untilAwaited(long monotonicNs) throws InterruptedException {
    while (awaitedNs != monotonicNs) {
      wait();
    }
  }

  synchronized void moveTo(long monotonicNs) {
    nowNs = monotonicNs;
    notifyAll();
  }
}
