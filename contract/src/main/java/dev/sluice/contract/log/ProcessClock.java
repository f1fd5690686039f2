package dev.sluice.contract.log;

import java.time.Instant;
import java.time.InstantSource;
import java.util.function.LongSupplier;

/**
 * Time of a process: its wall clock, read once, and its monotonic clock. Only {@code
 * harness.machine} names the system's clocks.
 */
public final class ProcessClock {
  private final LongSupplier monotonicNs;
  private final long anchorEpochNs;
  private final long anchorMonotonicNs;

  public ProcessClock(InstantSource wall, LongSupplier monotonicNs) {
    this.monotonicNs = monotonicNs;
    Instant now = wall.instant();
    this.anchorMonotonicNs = monotonicNs.getAsLong();
    this.anchorEpochNs = now.getEpochSecond() * 1_000_000_000L + now.getNano();
  }

  /** Monotonic nanoseconds from an arbitrary origin. */
  public long monotonicNs() {
    return monotonicNs.getAsLong();
  }

  /** Nanoseconds since 1970, by the anchored wall clock. */
  public long epochNs() {
    return anchorEpochNs + monotonicNs.getAsLong() - anchorMonotonicNs;
  }

  /** The clock of a run in this process, given the run's time zero. */
  public RunClock forRun(long timeZeroEpochMs) {
    return new RunClock(
        anchorMonotonicNs + timeZeroEpochMs * 1_000_000 - anchorEpochNs, monotonicNs);
  }
}
