package dev.sluice.analytics.bound;

import java.util.List;

/** Jobs with their windows in time, and the lanes that may run them. Immutable. */
public final class SchedulingInstance {
  /** Most lane time up to the last deadline. */
  public static final long LANE_TIME_MAX_NS = 1L << 61;

  final long[] releaseNs;
  final long[] deadlineNs;
  final int[] samples;
  final long[] aloneNs;
  final int[] family;
  final List<BatchTimes> families;
  final double lanes;

  /**
   * @param releaseNs arrivals, from 0 on, none before the one before it
   * @param deadlineNs ends by which jobs are good, each after its arrival
   * @param aloneNs least times of the jobs that no batch of their family holds, each in a batch of
   *     its own
   * @param family places of the jobs' times in {@code families}
   * @param families times on the fastest lane
   * @param lanes sum of the lanes' speeds, in units of the fastest lane's: equal lanes count 1 each
   * @throws IllegalArgumentException if arrivals are not in order, or the lanes have more time up
   *     to the last deadline than a long holds
   */
  public SchedulingInstance(
      long[] releaseNs,
      long[] deadlineNs,
      int[] samples,
      long[] aloneNs,
      int[] family,
      List<BatchTimes> families,
      double lanes) {
    this.releaseNs = releaseNs.clone();
    this.deadlineNs = deadlineNs.clone();
    this.samples = samples.clone();
    this.aloneNs = aloneNs.clone();
    this.family = family.clone();
    this.families = List.copyOf(families);
    this.lanes = lanes;
    for (int i = 0; i < releaseNs.length; i++) {
      if (releaseNs[i] < (i == 0 ? 0 : releaseNs[i - 1]) || deadlineNs[i] <= releaseNs[i]) {
        throw new IllegalArgumentException("job " + i + " is out of order");
      }
      if (deadlineNs[i] * lanes > LANE_TIME_MAX_NS) {
        throw new IllegalArgumentException("job " + i + " ends too late for " + lanes + " lanes");
      }
    }
  }

  int size() {
    return releaseNs.length;
  }

  BatchTimes times(int job) {
    return families.get(family[job]);
  }

  boolean shares(int job) {
    return times(job).holds(samples[job]);
  }

  long leastNs(int job) {
    return shares(job) ? times(job).leastNs(samples[job]) : aloneNs[job];
  }

  /** Returns whether no job has an earlier deadline than one that arrived before it. */
  boolean agreeable() {
    for (int i = 1; i < size(); i++) {
      if (deadlineNs[i] < deadlineNs[i - 1]) {
        return false;
      }
    }
    return true;
  }

  /**
   * Least times of batches of one family: jobs of one model that may share a batch. Immutable.
   *
   * <p>A batch may have members that do not count, so that the time used is the least of all
   * batches with at least these samples: it never falls.
   */
  public static final class BatchTimes {
    /** Least times of a batch with at least these samples, by samples less 1. */
    private final long[] atLeastNs;

    private final boolean rising;

    /**
     * @param ns time of a batch by its samples, from 1 to those of the largest batch; empty: the
     *     jobs run alone
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
     * Returns whether a batch of more samples never takes less, so that no time is below a real
     * one.
     */
    public boolean rising() {
      return rising;
    }
  }
}
