package dev.sluice.contract.log;

/** Waits until a monotonic time. Injected beside the clock, so that a test waits for nothing. */
@FunctionalInterface
public interface Pacer {
  /**
   * Returns at monotonicNs or just after, or at once if that time has passed. From then on the
   * system may run the calling thread, and threads that it begins, more promptly.
   *
   * @throws InterruptedException if the thread was interrupted while it waited
   */
  void awaitNs(long monotonicNs) throws InterruptedException;
}
