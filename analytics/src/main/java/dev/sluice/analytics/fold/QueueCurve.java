package dev.sluice.analytics.fold;

import dev.sluice.analytics.statistic.LongColumn;
import java.util.function.IntPredicate;

/** Number of waiting jobs, as a step function of time. */
public final class QueueCurve {
  private final LongColumn atNs;
  private final LongColumn waiting;

  private QueueCurve(LongColumn atNs, LongColumn waiting) {
    this.atNs = atNs;
    this.waiting = waiting;
  }

  /** The queue of the jobs for which holds what is asked. */
  public static QueueCurve of(RunRows run, IntPredicate which) {
    var atNs = new LongColumn(0);
    var waiting = new LongColumn(0);
    QueueWalk.over(
        run.jobs(),
        which,
        (ns, count) -> {
          atNs.add(ns);
          waiting.add(count);
        });
    return new QueueCurve(atNs, waiting);
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
