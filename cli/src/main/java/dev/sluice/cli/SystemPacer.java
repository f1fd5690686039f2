package dev.sluice.cli;

import dev.sluice.contract.Pacer;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;

/** Waits on the system's monotonic clock: sleeps most of the time, and spins the last stretch. */
final class SystemPacer implements Pacer {
  /** Longer than a sleep usually oversleeps on Linux, short enough to leave the core to others. */
  private static final long SPIN_NS = 100_000;

  private final LongSupplier monotonicNs;

  SystemPacer(LongSupplier monotonicNs) {
    this.monotonicNs = monotonicNs;
  }

  @Override
  public void awaitNs(long atMonotonicNs) throws InterruptedException {
    for (long leftNs = atMonotonicNs - monotonicNs.getAsLong();
        leftNs > 0;
        leftNs = atMonotonicNs - monotonicNs.getAsLong()) {
      if (Thread.interrupted()) {
        throw new InterruptedException();
      }
      if (leftNs > SPIN_NS) {
        LockSupport.parkNanos(leftNs - SPIN_NS);
      } else {
        Thread.onSpinWait();
      }
    }
  }
}
