package dev.sluice.contract.log;

import dev.sluice.contract.event.RunStarted;
import java.util.function.LongSupplier;

/**
 * Time since time zero of the run, as one process sees it: the wall clock, read once, plus the
 * monotonic time since then, so that it never jumps.
 */
public final class RunClock {
  private final LongSupplier monotonicNs;
  private final long zeroAtMonotonicNs;

  /**
   * @param timeZeroEpochMs time zero of the run, from {@link RunStarted}
   * @param anchorEpochNs wall clock time, nanoseconds since 1970, read when monotonic time was
   *     anchorMonotonicNs
   */
  public RunClock(
      long timeZeroEpochMs, long anchorEpochNs, long anchorMonotonicNs, LongSupplier monotonicNs) {
    this.monotonicNs = monotonicNs;
    this.zeroAtMonotonicNs = anchorMonotonicNs + timeZeroEpochMs * 1_000_000 - anchorEpochNs;
  }

  /** Nanoseconds since time zero; negative before it. */
  public long nowNs() {
    return monotonicNs.getAsLong() - zeroAtMonotonicNs;
  }

  /** The monotonic time at which this clock reads atNs. */
  public long toMonotonicNs(long atNs) {
    return atNs + zeroAtMonotonicNs;
  }
}
