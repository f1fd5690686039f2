package dev.sluice.executor.lane;

import dev.sluice.contract.log.Pacer;
import dev.sluice.contract.log.ProcessClock;
import java.time.Instant;
import java.time.InstantSource;

/** A clock that the test moves, and a pacer that waits for it. */
public final class VirtualTime implements Pacer {
  public long nowNs;
  private long awaitedNs = -1;

  public ProcessClock clock() {
    return new ProcessClock(InstantSource.fixed(Instant.EPOCH), this::nowNs);
  }

  public synchronized long nowNs() {
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

  /** Returns once some thread waits for that time. */
  public synchronized void untilAwaited(long monotonicNs) throws InterruptedException {
    while (awaitedNs != monotonicNs) {
      wait();
    }
  }

  public synchronized void moveTo(long monotonicNs) {
    nowNs = monotonicNs;
    notifyAll();
  }
}
