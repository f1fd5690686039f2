package dev.sluice.contract.event;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonValue;
import dev.sluice.contract.value.Checks;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Counts of times by {@link LatencyBuckets}. Those of two stretches of time may be added, unlike
 * percentiles. As JSON: a flat list of index and count in turns, indexes ascending, counts above 0.
 */
public final class LatencyHistogram {
  public static final LatencyHistogram EMPTY = new LatencyHistogram(new int[0], new long[0]);

  private final int[] indexes;
  private final long[] counts;
  private final long count;

  private LatencyHistogram(int[] indexes, long[] counts) {
    this.indexes = indexes;
    this.counts = counts;
    this.count = Arrays.stream(counts).sum();
  }

  @FunctionalInterface
  public interface Bucket {
    void take(int index, long count);
  }

  /** Counts of times of at least 0 ns, in any order. */
  public static LatencyHistogram of(long... timesNs) {
    long[] sorted = timesNs.clone();
    Arrays.sort(sorted);
    int[] indexes = new int[timesNs.length];
    long[] counts = new long[timesNs.length];
    int buckets = 0;
    long upperNs = 0;
    for (long ns : sorted) {
      if (buckets == 0 || ns >= upperNs) {
        int index = LatencyBuckets.indexOf(ns);
        upperNs = LatencyBuckets.upperNs(index);
        indexes[buckets++] = index;
      }
      counts[buckets - 1]++;
    }
    return new LatencyHistogram(Arrays.copyOf(indexes, buckets), Arrays.copyOf(counts, buckets));
  }

  /**
   * A histogram from its list.
   *
   * @throws IllegalArgumentException if the list is none of a histogram
   */
  @JsonCreator
  public static LatencyHistogram fromList(long[] list) {
    if (list.length % 2 != 0) {
      throw new IllegalArgumentException("a histogram's list has index and count in turns");
    }
    int[] indexes = new int[list.length / 2];
    long[] counts = new long[indexes.length];
    for (int i = 0; i < indexes.length; i++) {
      long index = list[2 * i];
      if (index < (i == 0 ? 0 : indexes[i - 1] + 1L) || index >= LatencyBuckets.count()) {
        throw new IllegalArgumentException("a histogram has no bucket (" + index + ") here");
      }
      indexes[i] = (int) index;
      Checks.atLeast(1, list[2 * i + 1], "count");
      counts[i] = list[2 * i + 1];
    }
    return new LatencyHistogram(indexes, counts);
  }

  /** The flat list of index and count. */
  @JsonValue
  public long[] toList() {
    long[] list = new long[2 * indexes.length];
    for (int i = 0; i < indexes.length; i++) {
      list[2 * i] = indexes[i];
      list[2 * i + 1] = counts[i];
    }
    return list;
  }

  public long count() {
    return count;
  }

  /** Hands over each bucket that is not empty, ascending. */
  public void forEach(Bucket sink) {
    for (int i = 0; i < indexes.length; i++) {
      sink.take(indexes[i], counts[i]);
    }
  }

  /** The counts of both. */
  public LatencyHistogram plus(LatencyHistogram that) {
    return merged(that, 1);
  }

  /** The counts by which this one exceeds that one, bucket by bucket. */
  public LatencyHistogram beyond(LatencyHistogram that) {
    return merged(that, -1);
  }

  private LatencyHistogram merged(LatencyHistogram that, int sign) {
    if (that.indexes.length == 0) {
      return this;
    }
    int[] into = new int[indexes.length + that.indexes.length];
    long[] sums = new long[into.length];
    int buckets = 0;
    int i = 0;
    int j = 0;
    while (i < indexes.length || j < that.indexes.length) {
      int own = i < indexes.length ? indexes[i] : Integer.MAX_VALUE;
      int other = j < that.indexes.length ? that.indexes[j] : Integer.MAX_VALUE;
      long sum = (own <= other ? counts[i] : 0) + (other <= own ? sign * that.counts[j] : 0);
      if (sum > 0) {
        into[buckets] = Math.min(own, other);
        sums[buckets++] = sum;
      }
      i += own <= other ? 1 : 0;
      j += other <= own ? 1 : 0;
    }
    return new LatencyHistogram(Arrays.copyOf(into, buckets), Arrays.copyOf(sums, buckets));
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
    Checks.atLeast(Math.max(1, count), endedCount, "endedCount");
    long rank = Math.max(1, (long) Math.ceil(percentile * endedCount / 100));
    long seen = 0;
    for (int i = 0; i < indexes.length; i++) {
      seen += counts[i];
      if (seen >= rank) {
        return LatencyBuckets.middleNs(indexes[i]);
      }
    }
    return Double.POSITIVE_INFINITY;
  }

  @Override
  public boolean equals(@Nullable Object that) {
    return that instanceof LatencyHistogram histogram
        && Arrays.equals(indexes, histogram.indexes)
        && Arrays.equals(counts, histogram.counts);
  }

  @Override
  public int hashCode() {
    return 31 * Arrays.hashCode(indexes) + Arrays.hashCode(counts);
  }

  @Override
  public String toString() {
    return Arrays.toString(toList());
  }
}
