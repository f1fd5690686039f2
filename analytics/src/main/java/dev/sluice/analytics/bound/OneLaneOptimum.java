package dev.sluice.analytics.bound;

import dev.sluice.analytics.bound.SchedulingInstance.BatchTimes;
import java.util.Arrays;
import java.util.OptionalInt;

/**
 * The most good jobs of one lane whose jobs are alike: of one family, of equally many samples and
 * equal times, and with deadlines in the order of their arrivals.
 *
 * <p>Batches of one lane follow each other. Two members of different batches that are out of order
 * can change places, and the last k jobs up to a batch's last member can take the places of its k
 * members; both keep all starts and ends. Some best schedule therefore runs or skips jobs in their
 * order. With F(i, q) the least end of all batches, with the jobs before i decided and q of them
 * not good, F(i + 1, q + 1) is at most F(i, q), and F(i + k, q) at most max(F(i, q), arrival of the
 * last of k jobs) + l(k), if that is within the deadline of job i. Of states that end before job i
 * arrives, one counts: that with the fewest jobs lost.
 */
public final class OneLaneOptimum {
  private static final long NEVER = Long.MAX_VALUE;

  /** Starts that are tried before the search is given up: some seconds. */
  private static final int STARTS_MAX = 500_000_000;

  private final SchedulingInstance jobs;
  private final BatchTimes times;
  private final int samples;

  /** States of the jobs to come, by job modulo the ring's size. */
  private final States[] ring;

  /** Least ends by jobs lost, from {@code lostMin} on. */
  private static final class States {
    int lostMin;
    int count;
    long[] endNs = new long[16];

    void end(int lost, long ns) {
      int place = lost - lostMin;
      if (place >= count) {
        if (place >= endNs.length) {
          endNs = Arrays.copyOf(endNs, Math.max(place + 1, 2 * endNs.length));
        }
        Arrays.fill(endNs, count, place + 1, NEVER);
        count = place + 1;
      }
      endNs[place] = Math.min(endNs[place], ns);
    }
  }

  private OneLaneOptimum(SchedulingInstance jobs) {
    this.jobs = jobs;
    times = jobs.times(0);
    samples = jobs.samples[0];
    int together = 1;
    while (times.holds(samples * (together + 1))) {
      together++;
    }
    ring = new States[together + 1];
    Arrays.setAll(ring, i -> new States());
  }

  /**
   * Returns the most good jobs; nothing, if there are several lanes, the jobs are not alike, or
   * their windows hold more batches than can be tried.
   */
  public static OptionalInt good(SchedulingInstance jobs) {
    boolean alike = jobs.size() > 0 && jobs.lanes == 1 && jobs.agreeable();
    for (int i = 1; alike && i < jobs.size(); i++) {
      alike =
          jobs.family[i] == jobs.family[0]
              && jobs.samples[i] == jobs.samples[0]
              && jobs.leastNs(i) == jobs.leastNs(0);
    }
    return alike ? new OneLaneOptimum(jobs).good() : OptionalInt.empty();
  }

  private OptionalInt good() {
    long starts = 0;
    ring[0].end(0, 0);
    for (int job = 0; job < jobs.size(); job++) {
      States states = ring[job % ring.length];
      int first = 0;
      while (states.endNs[first] == NEVER) {
        first++;
      }
      int lostMin = states.lostMin + first;
      ring[(job + ring.length - 1) % ring.length].lostMin = lostMin; // it has no state yet
      for (int place = first; place < states.count; place++) {
        long endNs = states.endNs[place];
        if (endNs == NEVER) {
          continue;
        }
        int lost = states.lostMin + place;
        ring[(job + 1) % ring.length].end(lost + 1, endNs);
        starts += startsFrom(job, lost, endNs);
        if (endNs <= jobs.releaseNs[job]) {
          break; // what loses more is no sooner at hand
        }
      }
      if (starts > STARTS_MAX) {
        return OptionalInt.empty();
      }
      states.count = 0;
    }
    States last = ring[jobs.size() % ring.length];
    int lost = 0;
    while (last.endNs[lost] == NEVER) {
      lost++;
    }
    return OptionalInt.of(jobs.size() - last.lostMin - lost);
  }

  /** Tries batches that begin with a job, and returns how many were tried. */
  private int startsFrom(int job, int lost, long endNs) {
    int most = Math.min(ring.length - 1, jobs.size() - job);
    for (int count = 1; count <= most; count++) {
      long startNs = Math.max(endNs, jobs.releaseNs[job + count - 1]);
      long batchNs = count == 1 ? jobs.leastNs(job) : times.leastNs(samples * count);
      long ns = startNs + batchNs;
      if (ns > jobs.deadlineNs[job]) {
        return count;
      }
      ring[(job + count) % ring.length].end(lost, ns);
    }
    return most;
  }
}
