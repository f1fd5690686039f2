package dev.sluice.analytics.statistic;

import java.util.Arrays;
import java.util.List;

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

  /**
   * The percentile over count values of which only those of a bag are finite and the others lie
   * above them.
   *
   * @return infinite where it falls on one of the others, NaN if count is 0
   */
  public static double percentile(LongBag finite, int percent, long count) {
    return percentiles(List.of(finite), count, percent)[0];
  }

  /** The percentile of a bag's values; NaN without a value. */
  public static double percentile(LongBag values, int percent) {
    return percentile(values, percent, values.size());
  }

  /**
   * The percentiles over count values of which only those of some bags are finite and the others
   * lie above them: infinite where they fall on one of the others, NaN if count is 0.
   */
  public static double[] percentiles(List<LongBag> finite, long count, int... percents) {
    long size = 0;
    for (LongBag bag : finite) {
      size += bag.size();
    }
    long known = size;
    long[] ranks =
        Arrays.stream(percents)
            .mapToLong(percent -> of(percent, count))
            .filter(r -> 0 < r && r <= known)
            .toArray();
    long[] values = LongBag.ofRanks(finite, ranks);
    var percentiles = new double[percents.length];
    int next = 0;
    for (int i = 0; i < percents.length; i++) {
      long rank = of(percents[i], count);
      percentiles[i] =
          count == 0 ? Double.NaN : rank > known ? Double.POSITIVE_INFINITY : values[next++];
    }
    return percentiles;
  }

  /**
   * The percentile of a bag's values.
   *
   * @throws IndexOutOfBoundsException if the bag is empty
   */
  public static long value(LongBag values, int percent) {
    return values.ofRanks(of(percent, values.size()))[0];
  }
}
