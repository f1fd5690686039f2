package dev.sluice.harness.machine;

import dev.sluice.contract.time.Pacer;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;

/**
 * Waits on the system's monotonic clock, asleep: a wait ends some 0.06 ms late on Linux. To spin
 * for the last stretch would be more exact, but would take whole cores from the lanes at thousands
 * of waits a second. A thread that waits here becomes a {@link PromptThread}.
 */
public final class SystemPacer implements Pacer {
  private static final ThreadLocal<Boolean> PROMPT =
      ThreadLocal.withInitial(PromptThread::becomePrompt);

  private final LongSupplier monotonicNs;

  public SystemPacer(LongSupplier monotonicNs) {
    this.monotonicNs = monotonicNs;
  }

  @Override
  public void awaitNs(long atMonotonicNs) throws InterruptedException {
    boolean unused = PROMPT.get();
    for (long leftNs = atMonotonicNs - monotonicNs.getAsLong();
        leftNs > 0;
        leftNs = atMonotonicNs - monotonicNs.getAsLong()) {
      if (Thread.interrupted()) {
        throw new InterruptedException();
      }
      LockSupport.parkNanos(leftNs);
    }
  }
}
