package dev.sluice.contract.event;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonValue;
import dev.sluice.contract.value.Checks;
import java.util.Collections;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.LongStream;

/**
 * Counts of times by {@link LatencyBuckets}. Those of two stretches of time may be added, unlike
 * percentiles. As JSON: a flat list of index and count in turns, indexes ascending, counts above 0.
 *
 * @param counts times by bucket, each above 0
 */
public record LatencyHistogram(SortedMap<Integer, Long> counts) {
  public static final LatencyHistogram EMPTY = new LatencyHistogram(new TreeMap<>());

  public LatencyHistogram {
    counts = Collections.unmodifiableSortedMap(counts);
  }

  /** Counts of times of at least 0 ns, in any order. */
  public static LatencyHistogram of(long... timesNs) {
    SortedMap<Integer, Long> counts = new TreeMap<>();
    for (long ns : timesNs) {
      counts.merge(LatencyBuckets.indexOf(ns), 1L, Long::sum);
    }
    return new LatencyHistogram(counts);
  }

  /** A histogram from its list. */
  @JsonCreator
  public static LatencyHistogram fromList(long[] list) {
    if (list.length % 2 != 0) {
      throw new IllegalArgumentException("a histogram's list has index and count in turns");
    }
    SortedMap<Integer, Long> counts = new TreeMap<>();
    for (int i = 0; i < list.length; i += 2) {
      long index = list[i];
      if (index < (i == 0 ? 0 : list[i - 2] + 1) || index >= LatencyBuckets.count()) {
        throw new IllegalArgumentException("a histogram has no bucket (" + index + ") here");
      }
      Checks.atLeast(1, list[i + 1], "count");
      counts.put((int) index, list[i + 1]);
    }
    return new LatencyHistogram(counts);
  }

  @JsonValue
  public long[] toList() {
    return counts.entrySet().stream()
        .flatMapToLong(bucket -> LongStream.of(bucket.getKey(), bucket.getValue()))
        .toArray();
  }

  public long count() {
    return counts.values().stream().mapToLong(count -> count).sum();
  }

  public LatencyHistogram plus(LatencyHistogram that) {
    return merged(that, 1);
  }

  /** The counts by which this one exceeds that one, bucket by bucket. */
  public LatencyHistogram beyond(LatencyHistogram that) {
    return merged(that, -1);
  }

  private LatencyHistogram merged(LatencyHistogram that, int sign) {
    SortedMap<Integer, Long> sums = new TreeMap<>(counts);
    that.counts.forEach((index, count) -> sums.merge(index, sign * count, Long::sum));
    sums.values().removeIf(sum -> sum <= 0);
    return new LatencyHistogram(sums);
  }

  /**
   * Nearest rank over ended jobs, of which those without a time here count as infinite.
   *
   * @param percentile above 0, at most 100
   * @param endedCount number of ended jobs, at least the number of times, and at least 1
   * @return the geometric middle of the rank's bucket; {@link Double#POSITIVE_INFINITY} if the rank
   *     falls on a job without a time
   */
  public double percentileNs(double percentile, long endedCount) {
    Checks.atLeast(Math.max(1, count()), endedCount, "endedCount");
    long rank = Math.max(1, (long) Math.ceil(percentile * endedCount / 100));
    long seen = 0;
    for (Map.Entry<Integer, Long> bucket : counts.entrySet()) {
      seen += bucket.getValue();
      if (seen >= rank) {
        return LatencyBuckets.middleNs(bucket.getKey());
      }
    }
    return Double.POSITIVE_INFINITY;
  }
}
