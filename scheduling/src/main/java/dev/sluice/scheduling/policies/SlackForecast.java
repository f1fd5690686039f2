package dev.sluice.scheduling.policies;

import dev.sluice.scheduling.policy.JobOrder;
import dev.sluice.scheduling.policy.SchedulerState;
import dev.sluice.scheduling.policy.SchedulerState.CompatibleSet;
import dev.sluice.scheduling.policy.SchedulerState.Job;
import dev.sluice.scheduling.policy.SchedulerState.Lane;
import dev.sluice.scheduling.policy.SchedulerState.Walk;
import java.util.ArrayList;
import java.util.List;

/**
 * What becomes of a set's jobs if each lane, when it is free, takes as many by deadline as end by
 * the first deadline: of those that wait, and of those that are expected at even gaps by the rate.
 */
final class SlackForecast {
  /** Most jobs that a forecast looks at. */
  static final int JOBS_MAX = 512;

  /** Numbers of jobs to give up that are tried one by one; from then on, a share apart. */
  private static final int SKIPS = 8;

  private final SchedulerState state;
  private final CompatibleSet set;
  private final List<Lane> lanes = new ArrayList<>();
  private final long[] freeNs;
  private final long[] freeNowNs;
  private final long[] deadlineNs;
  private final int[] samples;
  private final int waiting;
  private final int jobs;
  private final long gapNs;
  private final long hopNs;
  private final int samplesMax;
  private final double margin;

  /**
   * @param set a job of it waits
   * @param horizon for how many promises arrivals are expected
   * @param samplesMax most samples of a batch
   * @param hopNs time that each batch takes to its lane
   */
  SlackForecast(
      SchedulerState state, CompatibleSet set, double horizon, int samplesMax, long hopNs) {
    this.state = state;
    this.set = set;
    this.samplesMax = samplesMax;
    this.hopNs = hopNs;
    List<? extends Lane> all = state.lanes();
    for (int i = 0; i < all.size(); i++) {
      if (serves(state, all.get(i), set)) {
        lanes.add(all.get(i));
      }
    }
    freeNs = new long[lanes.size()];
    freeNowNs = new long[lanes.size()];
    for (int i = 0; i < freeNowNs.length; i++) {
      freeNowNs[i] = Math.max(state.nowNs(), lanes.get(i).expectedFreeAtNs());
    }
    margin = margin(state, set);
    Job first = Queues.first(set, JobOrder.DEADLINE);
    long promiseNs = first.spec().sloNs();
    double perSecond = set.arrivalsPerSecond();
    gapNs = perSecond > 0 ? Math.max(1, Math.round(1e9 / perSecond)) : Long.MAX_VALUE;
    waiting = Math.min(JOBS_MAX, set.waiting());
    long expected = Math.round(horizon * promiseNs) / gapNs;
    jobs = (int) Math.min(JOBS_MAX, waiting + expected);
    deadlineNs = new long[jobs];
    samples = new int[jobs];
    Walk walk = set.walk(JobOrder.DEADLINE);
    for (int i = 0; i < jobs; i++) {
      Job job = i < waiting ? walk.next() : null;
      deadlineNs[i] = job == null ? arrivalNs(i) + promiseNs : job.deadlineNs();
      samples[i] = (job == null ? first : job).group().samples();
    }
  }

  /** Returns whether the lane holds the set's model, and is idle or will be. */
  static boolean serves(SchedulerState state, Lane lane, CompatibleSet set) {
    return (lane.idle() || (lane.running() != null && !lane.hangs()))
        && state.canRun(lane, set)
        && state.isLoaded(set, lane);
  }

  /**
   * Returns the largest number of samples whose batch takes at most a time by the upper bound; if
   * not even one does, by the mean.
   */
  static int largestWithin(
      SchedulerState state, CompatibleSet set, Lane lane, long ns, double margin) {
    int fits = state.largestWithinBound(set, lane, Math.round(ns / margin));
    return fits > 0 ? fits : state.largestWithin(set, lane, ns);
  }

  /** Returns how many times its bound a batch of a set takes at most, as far as batches tell. */
  static double margin(SchedulerState state, CompatibleSet set) {
    return state.remembered(marginOf(set.name()), 1);
  }

  /** Name of a set's margin in the policy's memory. */
  static String marginOf(String set) {
    return "margin/" + set;
  }

  /** Returns the time of a batch that is seldom exceeded. */
  static long boundNs(
      SchedulerState state, CompatibleSet set, int samples, Lane lane, double margin) {
    return Math.round(state.boundNs(set, samples, lane) * margin);
  }

  /**
   * Returns how many of the first jobs must be given up so that, with them, the fewest are lost; of
   * several such numbers the least. Above eight, numbers an eighth apart are tried.
   */
  int jobsToSkip() {
    int best = 0;
    int fewestLost = lost(0, Integer.MAX_VALUE);
    long lastNs = deadlineNs[0];
    for (int skip = 1; skip < waiting && skip < fewestLost; skip += 1 + skip / SKIPS) {
      if (deadlineNs[skip] == lastNs) {
        continue;
      }
      lastNs = deadlineNs[skip];
      int lost = skip + lost(skip, fewestLost - skip);
      if (lost < fewestLost) {
        fewestLost = lost;
        best = skip;
      }
    }
    return best;
  }

  /** Returns how many jobs are lost from one on, counted up to a number. */
  private int lost(int from, int atLeast) {
    System.arraycopy(freeNowNs, 0, freeNs, 0, freeNs.length);
    int lost = 0;
    int job = from;
    while (job < jobs && lost < atLeast) {
      int next = firstFree();
      long startNs = Math.max(freeNs[next], arrivalNs(job));
      Lane lane = lanes.get(next);
      long leftNs = deadlineNs[job] - startNs - hopNs;
      int fits =
          leftNs <= 0 ? 0 : Math.min(samplesMax, largestWithin(state, set, lane, leftNs, margin));
      int size = samples[job];
      if (size > fits && (leftNs <= 0 || state.boundNs(set, size, lane) * margin > leftNs)) {
        lost++;
        job++;
        continue;
      }
      job++;
      while (job < jobs && arrivalNs(job) <= startNs && size + samples[job] <= fits) {
        size += samples[job];
        job++;
      }
      freeNs[next] = startNs + hopNs + boundNs(state, set, size, lane, margin);
    }
    return lost;
  }

  private int firstFree() {
    int first = 0;
    for (int i = 1; i < freeNs.length; i++) {
      first = freeNs[i] < freeNs[first] ? i : first;
    }
    return first;
  }

  /** Returns when a job came or is expected to come; now if it waits. */
  private long arrivalNs(int job) {
    return job < waiting ? state.nowNs() : state.nowNs() + (job - waiting + 1) * gapNs;
  }
}
