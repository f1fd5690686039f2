package dev.sluice.contract.event;

import dev.sluice.contract.value.Checks;

/**
 * Buckets of times, each 1 % wide: bucket i ≥ 1 holds the times t with 1.01^(i−1) ≤ t / 1 µs <
 * 1.01^i, and bucket 0 those below 1 µs.
 */
public final class LatencyBuckets {
  private static final double GROWTH = 1.01;
  private static final double FIRST_NS = 1000;
  private static final double LOG_GROWTH = Math.log(GROWTH);

  /** Smallest whole nanosecond of each bucket, ascending. */
  private static final long[] LOWER_NS = lowerNs();

  private LatencyBuckets() {}

  private static long[] lowerNs() {
    int count = 2 + (int) (Math.log(Long.MAX_VALUE / FIRST_NS) / LOG_GROWTH);
    long[] lower = new long[count];
    for (int i = 1; i < count; i++) {
      lower[i] = (long) Math.ceil(FIRST_NS * Math.pow(GROWTH, i - 1));
    }
    return lower;
  }

  public static int count() {
    return LOWER_NS.length;
  }

  /** The bucket of a time of at least 0 ns. */
  public static int indexOf(long ns) {
    Checks.atLeast(0, ns, "ns");
    if (ns < LOWER_NS[1]) {
      return 0;
    }
    int index = Math.min(1 + (int) (Math.log(ns / FIRST_NS) / LOG_GROWTH), LOWER_NS.length - 1);
    if (ns < LOWER_NS[index]) { // the logarithm is not exact at a bound
      return index - 1;
    }
    return index + 1 < LOWER_NS.length && ns >= LOWER_NS[index + 1] ? index + 1 : index;
  }

  public static long lowerNs(int index) {
    return LOWER_NS[index];
  }

  /** End of a bucket, exclusive: the next one's smallest nanosecond. */
  public static long upperNs(int index) {
    return index + 1 < LOWER_NS.length ? LOWER_NS[index + 1] : Long.MAX_VALUE;
  }

  /** Geometric middle of a bucket; of bucket 0 half a microsecond. */
  public static double middleNs(int index) {
    return index == 0 ? FIRST_NS / 2 : FIRST_NS * Math.pow(GROWTH, index - 0.5);
  }
}
