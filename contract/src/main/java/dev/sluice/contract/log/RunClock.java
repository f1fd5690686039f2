package dev.sluice.contract.log;

import java.util.function.LongSupplier;

/**
 * Time since time zero of the run, as one process sees it: the wall clock, read once, plus the
 * monotonic time since then, so that it never jumps.
 *
 * @param zeroAtMonotonicNs monotonic time of time zero
 */
public record RunClock(long zeroAtMonotonicNs, LongSupplier monotonicNs) {
  /** Nanoseconds since time zero; negative before it. */
  public long nowNs() {
    return monotonicNs.getAsLong() - zeroAtMonotonicNs;
  }

  /** The monotonic time at which this clock reads atNs. */
  public long toMonotonicNs(long atNs) {
    return atNs + zeroAtMonotonicNs;
  }
}
