package dev.sluice.producer.generator;

import java.util.concurrent.atomic.AtomicLong;

/**
 * The largest distance seen between this process's clock and the broker's append time. A record is
 * appended between its send and its acknowledgement. An append time in that span, rounded down to a
 * millisecond, is consistent with the clock and counts as 0. Thread-safe.
 */
final class ClockOffset {
  private static final long NS_PER_MS = 1_000_000;
  private final AtomicLong maxNs = new AtomicLong();

  /** Takes in one acknowledged record; own times are nanoseconds since 1970. */
  void observe(long sentEpochNs, long acknowledgedEpochNs, long appendedEpochMs) {
    long appendedFirstNs = appendedEpochMs * NS_PER_MS;
    long appendedLastNs = appendedFirstNs + NS_PER_MS - 1;
    long behindNs = sentEpochNs - appendedLastNs;
    long aheadNs = appendedFirstNs - acknowledgedEpochNs;
    maxNs.accumulateAndGet(Math.max(behindNs, aheadNs), Math::max);
  }

  /** Returns the largest distance so far; 0 if none was seen. */
  long maxNs() {
    return maxNs.get();
  }
}
