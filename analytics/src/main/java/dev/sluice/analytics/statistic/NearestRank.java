package dev.sluice.analytics.statistic;

/**
 * Percentiles by nearest rank: the smallest value such that at least p percent of all values are
 * not above it. Nothing is interpolated, so every percentile is a value that occurred.
 */
public final class NearestRank {
  /** Smallest count of values that has two beyond its 99th percentile with 99 % confidence. */
  public static final int COUNT_FOR_P99 = 662;

  /** Smallest count of values that has two beyond its 95th percentile with 99 % confidence. */
  public static final int COUNT_FOR_P95 = 130;

  private NearestRank() {}

  /** The rank, from 1, of the percentile among count values; 0 if count is 0. */
  public static long of(int percent, long count) {
    return Math.floorDiv(count * percent + 99, 100);
  }

  /**
   * The percentile over count values of which only the sorted ones are finite and the others lie
   * above them.
   *
   * @return infinite where it falls on one of the others, NaN if count is 0
   */
  public static double percentile(long[] sorted, int percent, long count) {
    if (count == 0) {
      return Double.NaN;
    }
    long rank = of(percent, count);
    return rank > sorted.length ? Double.POSITIVE_INFINITY : sorted[Math.toIntExact(rank - 1)];
  }

  /** The percentile of sorted values; NaN without a value. */
  public static double percentile(long[] sorted, int percent) {
    return percentile(sorted, percent, sorted.length);
  }
}
