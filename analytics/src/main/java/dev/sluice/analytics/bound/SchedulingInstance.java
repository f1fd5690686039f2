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

  /** Returns whether a job may share a batch. */
  boolean shares(int job) {
    return times(job).holds(samples[job]);
  }

  /** Returns the least time of a batch with a job. */
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
}
