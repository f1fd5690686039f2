package dev.sluice.analytics.bound;

import dev.sluice.analytics.bound.SchedulingInstance.BatchTimes;
import java.util.HashMap;
import java.util.Map;
import java.util.stream.IntStream;

/**
 * The lane time that each job takes at least if it is good.
 *
 * <p>A batch whose good members have S samples together takes at least l(S). Split by samples, a
 * member of s samples takes s × l(S) / S of it. Its good members have arrived when it starts, and
 * none is late when it ends: all arrived within the longest promise, less l(S), before its start,
 * and it starts at most the job's own promise, less l(S), after the job's arrival. Jobs that arrive
 * so near each other bound S for each job, and the least s × l(S) / S up to that S is the job's.
 */
final class LeastLaneTimes {
  /** Lane time of a job that can never be good. */
  static final long HOPELESS = -1;

  private final SchedulingInstance jobs;
  private final long[] laneNs;

  private LeastLaneTimes(SchedulingInstance jobs) {
    this.jobs = jobs;
    laneNs = new long[jobs.size()];
  }

  static long[] of(SchedulingInstance jobs) {
    var times = new LeastLaneTimes(jobs);
    for (int job = 0; job < jobs.size(); job++) {
      long ns = jobs.leastNs(job);
      boolean hopeless = ns > jobs.deadlineNs[job] - jobs.releaseNs[job];
      times.laneNs[job] = hopeless ? HOPELESS : ns;
    }
    for (int i = 0; i < jobs.families.size(); i++) {
      int family = i;
      times.share(
          jobs.families.get(family),
          IntStream.range(0, jobs.size())
              .filter(job -> jobs.family[job] == family && times.shares(job))
              .toArray());
    }
    return times.laneNs;
  }

  /** Returns whether a job can be good in a batch with others. */
  private boolean shares(int job) {
    return laneNs[job] != HOPELESS && jobs.shares(job);
  }

  /** Sets the lane times of jobs that may share batches with each other. */
  private void share(BatchTimes times, int[] members) {
    int divisor = 0; // of the samples of every batch of them
    long longest = 0;
    for (int job : members) {
      divisor = divisor(jobs.samples[job], divisor);
      longest = Math.max(longest, jobs.deadlineNs[job] - jobs.releaseNs[job]);
    }
    int step = divisor;
    long longestNs = longest;
    int[] endingAt = samplesEndingAt(times, members, longestNs);
    Map<Integer, long[]> leastBySamples = new HashMap<>(); // looked up, never iterated
    int[] later = new int[members.length]; // members whose batches are ever larger, nearest last
    int count = 0;
    for (int i = members.length - 1; i >= 0; i--) {
      while (count > 0 && endingAt[later[count - 1]] <= endingAt[i]) {
        count--;
      }
      later[count++] = i;
      int job = members[i];
      int most = most(times, members, endingAt, later, count);
      int samples = jobs.samples[job];
      long[] leastNs =
          leastBySamples.computeIfAbsent(
              samples, s -> leastUpTo(times, s, step, times.samplesWithin(longestNs)));
      laneNs[job] = leastNs[(most - samples) / step];
    }
  }

  private static int divisor(int a, int b) {
    return b == 0 ? a : divisor(b, a % b);
  }

  /**
   * Returns for each member the most samples of a batch of it and of members before it, as far as
   * the longest promise tells.
   */
  private int[] samplesEndingAt(BatchTimes times, int[] members, long longestNs) {
    int[] most = new int[members.length];
    int first = 0; // the first member from which on all fit into one batch
    long sum = 0;
    for (int last = 0; last < members.length; last++) {
      sum += jobs.samples[members[last]];
      while (within(times, members, first, last, longestNs) < sum) {
        sum -= jobs.samples[members[first++]];
      }
      int withOneMore = first == 0 ? 0 : within(times, members, first - 1, last, longestNs);
      most[last] = (int) Math.max(sum, withOneMore);
    }
    return most;
  }

  private int within(BatchTimes times, int[] members, int first, int last, long promiseNs) {
    long apartNs = jobs.releaseNs[members[last]] - jobs.releaseNs[members[first]];
    return times.samplesWithin(promiseNs - apartNs);
  }

  /**
   * Returns the most samples of a batch of a member, also with members after it, as far as its own
   * promise tells.
   *
   * @param later places of the member and of those after it whose batches are ever larger, from the
   *     farthest to the member itself
   */
  private int most(BatchTimes times, int[] members, int[] endingAt, int[] later, int count) {
    int own = later[count - 1];
    long promiseNs = jobs.deadlineNs[members[own]] - jobs.releaseNs[members[own]];
    int low = 0; // up to here batches are larger than the promise allows, and then they are not
    int high = count;
    while (low < high) {
      int middle = (low + high) >>> 1;
      int last = later[middle];
      if (endingAt[last] <= within(times, members, own, last, promiseNs)) {
        high = middle;
      } else {
        low = middle + 1;
      }
    }
    return Math.max(
        low == count ? 0 : endingAt[later[low]],
        low == 0 ? 0 : within(times, members, own, later[low - 1], promiseNs));
  }

  /**
   * Returns the least lane time of a job by the most samples of its batch: its own samples, one
   * step more, and further.
   */
  private static long[] leastUpTo(BatchTimes times, int samples, int step, int samplesMax) {
    long[] leastNs = new long[(samplesMax - samples) / step + 1];
    for (int i = 0; i < leastNs.length; i++) {
      int together = samples + i * step;
      long ns = times.leastNs(together);
      long share = samples * (ns / together) + samples * (ns % together) / together;
      leastNs[i] = i == 0 ? share : Math.min(leastNs[i - 1], share);
    }
    return leastNs;
  }
}
