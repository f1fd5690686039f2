package dev.sluice.executor.lane;

import java.util.List;
import java.util.NavigableSet;
import java.util.TreeSet;

/** The samples counts that lanes warm up before they join. */
public final class WarmUpSamples {
  /** Largest number of samples counts to warm up: each costs several inferences per model. */
  static final int COUNTS_MAX = 16;

  private WarmUpSamples() {}

  /**
   * Returns the samples counts that a batch may have. If these are more than {@link #COUNTS_MAX},
   * returns the batch sizes, the largest sum, and for each power of two the largest sum that does
   * not exceed it; the scheduler scales the other counts from the nearest one.
   *
   * @return ascending, without repetition
   */
  public static List<Integer> of(List<Integer> batchSizes, boolean joined, int maxBatch) {
    var counts = reachable(batchSizes, joined, maxBatch);
    if (!joined || counts.size() <= COUNTS_MAX) {
      return List.copyOf(counts);
    }
    var sums = sums(batchSizes, maxBatch);
    var thinned = new TreeSet<>(batchSizes);
    thinned.add(sums.last());
    for (int power = 1; power <= maxBatch; power *= 2) {
      Integer sum = sums.floor(power);
      if (sum != null) {
        thinned.add(sum);
      }
    }
    return List.copyOf(thinned);
  }

  /**
   * Returns the samples counts that a batch may have: each batch size and, if jobs may be joined,
   * each sum of batch sizes up to maxBatch.
   */
  public static NavigableSet<Integer> reachable(
      List<Integer> batchSizes, boolean joined, int maxBatch) {
    var counts = new TreeSet<>(batchSizes);
    if (joined) {
      counts.addAll(sums(batchSizes, maxBatch));
    }
    return counts;
  }

  private static NavigableSet<Integer> sums(List<Integer> batchSizes, int maxBatch) {
    var reachable = new boolean[maxBatch + 1];
    reachable[0] = true;
    var sums = new TreeSet<Integer>();
    for (int sum = 1; sum <= maxBatch; sum++) {
      for (int size : batchSizes) {
        if (size <= sum && reachable[sum - size]) {
          reachable[sum] = true;
          sums.add(sum);
        }
      }
    }
    return sums;
  }
}
