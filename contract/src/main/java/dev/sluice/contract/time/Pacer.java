package dev.sluice.contract.time;

/** Waits until a monotonic time. Injected beside the clock, so that a test waits for nothing. */
@FunctionalInterface
public interface Pacer {
  /**
   * Returns at monotonicNs or just after; at once if it has passed. The thread that calls it, and
   * those that it begins afterwards, may be run more promptly from then on.
   *
   * @throws InterruptedException if the thread was interrupted while it waited
   */
  void awaitNs(long monotonicNs) throws InterruptedException;
}
