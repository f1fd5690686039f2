package dev.sluice.harness.twin.fold;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Number of waiting jobs, as a step function of time. */
public final class QueueCurve {
  private final long[] atNs;
  private final long[] waiting;

  private QueueCurve(long[] atNs, long[] waiting) {
    this.atNs = atNs;
    this.waiting = waiting;
  }

  /** The queue of the given jobs. */
  public static QueueCurve of(List<JobRow> jobs) {
    List<long[]> changes = new ArrayList<>(2 * jobs.size());
    for (JobRow job : jobs) {
      long untilNs = job.waitedUntilNs();
      changes.add(new long[] {job.request().intendedAtNs(), 1});
      if (untilNs != Long.MAX_VALUE) {
        changes.add(new long[] {Math.max(untilNs, job.request().intendedAtNs()), -1});
      }
    }
    changes.sort((a, b) -> Long.compare(a[0], b[0]));
    long[] atNs = new long[changes.size()];
    long[] waiting = new long[changes.size()];
    int steps = 0;
    long now = 0;
    for (long[] change : changes) {
      now += change[1];
      if (steps > 0 && atNs[steps - 1] == change[0]) {
        waiting[steps - 1] = now;
      } else {
        atNs[steps] = change[0];
        waiting[steps++] = now;
      }
    }
    return new QueueCurve(Arrays.copyOf(atNs, steps), Arrays.copyOf(waiting, steps));
  }

  /** Number of jobs that wait just after a time. */
  public long at(long timeNs) {
    int step = lastStepAt(timeNs);
    return step < 0 ? 0 : waiting[step];
  }

  /** Time average over [fromNs, toNs). */
  public double mean(long fromNs, long toNs) {
    double area = 0;
    long sinceNs = fromNs;
    long now = at(fromNs);
    for (int i = lastStepAt(fromNs) + 1; i < atNs.length && atNs[i] < toNs; i++) {
      area += (double) now * (atNs[i] - sinceNs);
      sinceNs = atNs[i];
      now = waiting[i];
    }
    return (area + (double) now * (toNs - sinceNs)) / (toNs - fromNs);
  }

  /** Largest number that waited at once in [fromNs, toNs). */
  public long max(long fromNs, long toNs) {
    long most = at(fromNs);
    for (int i = lastStepAt(fromNs) + 1; i < atNs.length && atNs[i] < toNs; i++) {
      most = Math.max(most, waiting[i]);
    }
    return most;
  }

  private int lastStepAt(long timeNs) {
    int found = Arrays.binarySearch(atNs, timeNs);
    return found >= 0 ? found : -found - 2;
  }
}
