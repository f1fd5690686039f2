package dev.sluice.analytics.fold;

import dev.sluice.analytics.row.Jobs;
import dev.sluice.analytics.statistic.LongBag;
import dev.sluice.analytics.statistic.LongColumn;
import java.util.function.IntPredicate;

/**
 * Number of waiting jobs, as a step function of time: of those whose intended arrival is not after
 * a time, and which have neither started nor ended by it.
 */
public final class QueueCurve {
  private final LongColumn atNs = new LongColumn(0);
  private final LongColumn waiting = new LongColumn(0);

  private QueueCurve() {}

  /** The queue of the jobs for which holds what is asked. */
  public static QueueCurve of(RunRows run, IntPredicate which) {
    Jobs jobs = run.jobs();
    var arrivesNs = new LongBag();
    var leavesNs = new LongBag();
    for (int i = 0; i < jobs.size(); i++) {
      int job = jobs.at(i);
      if (which.test(job)) {
        arrivesNs.add(jobs.intendedAtNs(job));
        long untilNs = jobs.waitedUntilNs(job);
        if (untilNs != Long.MAX_VALUE) {
          leavesNs.add(Math.max(untilNs, jobs.intendedAtNs(job)));
        }
      }
    }
    var curve = new QueueCurve();
    long[] arrivals = arrivesNs.sorted();
    long[] leaves = leavesNs.sorted();
    int arrived = 0;
    int left = 0;
    while (arrived < arrivals.length || left < leaves.length) {
      boolean arrives =
          left == leaves.length || (arrived < arrivals.length && arrivals[arrived] <= leaves[left]);
      long ns = arrives ? arrivals[arrived++] : leaves[left++];
      curve.step(ns, arrived - left);
    }
    return curve;
  }

  private void step(long ns, int count) {
    int last = atNs.size() - 1;
    int place = last >= 0 && atNs.get(last) == ns ? last : last + 1;
    atNs.set(place, ns);
    waiting.set(place, count);
  }

  /** Number of jobs that wait just after a time. */
  public long at(long timeNs) {
    int step = lastStepAt(timeNs);
    return step < 0 ? 0 : waiting.get(step);
  }

  /** Time average over [fromNs, toNs). */
  public double mean(long fromNs, long toNs) {
    double area = 0;
    long sinceNs = fromNs;
    long now = at(fromNs);
    for (int i = lastStepAt(fromNs) + 1; i < atNs.size() && atNs.get(i) < toNs; i++) {
      area += (double) now * (atNs.get(i) - sinceNs);
      sinceNs = atNs.get(i);
      now = waiting.get(i);
    }
    return (area + (double) now * (toNs - sinceNs)) / (toNs - fromNs);
  }

  /** Largest number that waited at once in [fromNs, toNs). */
  public long max(long fromNs, long toNs) {
    long most = at(fromNs);
    for (int i = lastStepAt(fromNs) + 1; i < atNs.size() && atNs.get(i) < toNs; i++) {
      most = Math.max(most, waiting.get(i));
    }
    return most;
  }

  private int lastStepAt(long timeNs) {
    int low = 0; // all before it are not after the time
    int high = atNs.size();
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (atNs.get(middle) <= timeNs) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low - 1;
  }
}
