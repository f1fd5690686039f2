package dev.sluice.analytics.bound;

/**
 * Least times of batches of one family: jobs of one model that may share a batch. Immutable.
 *
 * <p>A batch may have members that do not count, so that the time used is the least of all batches
 * with at least these samples: it never falls.
 */
public final class BatchTimes {
  /** Times of a job alone, by samples less 1. */
  private final long[] aloneNs;

  /**
   * Least times of a batch with at least these samples, by samples less 1, up to the largest batch.
   */
  private final long[] atLeastNs;

  private final boolean rising;

  /**
   * @param ns time of a batch by its samples, from 1 on, for all counts that one job or a batch can
   *     have
   * @param batchMax most samples of several jobs in one batch; 0: jobs run alone
   */
  public BatchTimes(long[] ns, int batchMax) {
    aloneNs = ns.clone();
    atLeastNs = new long[batchMax];
    long least = Long.MAX_VALUE;
    boolean neverLess = true;
    for (int samples = batchMax; samples >= 1; samples--) {
      neverLess &= ns[samples - 1] <= least;
      least = Math.min(least, ns[samples - 1]);
      atLeastNs[samples - 1] = least;
    }
    rising = neverLess;
  }

  /** Returns whether a job with these samples may share a batch. */
  boolean shares(int samples) {
    return samples <= atLeastNs.length;
  }

  /** Returns the least time of a batch with at least these samples, or of a job that runs alone. */
  long leastNs(int samples) {
    return shares(samples) ? atLeastNs[samples - 1] : aloneNs[samples - 1];
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
