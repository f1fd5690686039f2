package dev.sluice.analytics.bound;

/**
 * Least times of batches of one family: jobs of one model that may share a batch. Immutable.
 *
 * <p>A batch may have members that do not count, so that the time used is the least of all batches
 * with at least these samples: it never falls.
 */
public final class BatchTimes {
  /** Least times of a batch with at least these samples, by samples less 1. */
  private final long[] atLeastNs;

  private final boolean rising;

  /**
   * @param ns time of a batch by its samples, from 1 to those of the largest batch; empty: the jobs
   *     run alone
   */
  public BatchTimes(long[] ns) {
    atLeastNs = new long[ns.length];
    long least = Long.MAX_VALUE;
    boolean neverLess = true;
    for (int i = ns.length - 1; i >= 0; i--) {
      neverLess &= ns[i] <= least;
      least = Math.min(least, ns[i]);
      atLeastNs[i] = least;
    }
    rising = neverLess;
  }

  /** Returns whether a batch can have these samples. */
  public boolean holds(int samples) {
    return samples <= atLeastNs.length;
  }

  /** Returns the least time of a batch with at least these samples. */
  long leastNs(int samples) {
    return atLeastNs[samples - 1];
  }

  /** Returns the most samples of a batch that can be done within a time; 0: not even one. */
  int samplesWithin(long ns) {
    int low = 0;
    int high = atLeastNs.length;
    while (low < high) {
      int middle = (low + high + 1) >>> 1;
      if (atLeastNs[middle - 1] <= ns) {
        low = middle;
      } else {
        high = middle - 1;
      }
    }
    return low;
  }

  /**
   * Returns whether a batch of more samples never takes less, so that no time is below a real one.
   */
  public boolean rising() {
    return rising;
  }
}
