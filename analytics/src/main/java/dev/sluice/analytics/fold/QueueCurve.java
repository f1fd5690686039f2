package dev.sluice.analytics.fold;

import dev.sluice.analytics.row.Jobs.JobRow;
import dev.sluice.analytics.statistic.LongBag;
import java.util.function.Predicate;

/**
 * Number of waiting jobs, as a step function of time: of those whose intended arrival is not after
 * a time, and which have neither started nor ended by it.
 */
public final class QueueCurve {
  private final long[] arrivesNs;
  private final long[] leavesNs;

  private QueueCurve(long[] arrivesNs, long[] leavesNs) {
    this.arrivesNs = arrivesNs;
    this.leavesNs = leavesNs;
  }

  /** The queue of the jobs for which holds what is asked. */
  public static QueueCurve of(RunRows run, Predicate<JobRow> which) {
    var arrivesNs = new LongBag();
    var leavesNs = new LongBag();
    for (JobRow job : run.jobs().all()) {
      if (which.test(job)) {
        arrivesNs.add(job.intendedAtNs());
        long untilNs = job.waitedUntilNs();
        if (untilNs != Long.MAX_VALUE) {
          leavesNs.add(Math.max(untilNs, job.intendedAtNs()));
        }
      }
    }
    return new QueueCurve(arrivesNs.sorted(), leavesNs.sorted());
  }

  /** Number of jobs that wait just after a time. */
  public long at(long timeNs) {
    return (long) notAfter(arrivesNs, timeNs) - notAfter(leavesNs, timeNs);
  }

  /** Time average over [fromNs, toNs). */
  public double mean(long fromNs, long toNs) {
    int arrived = notAfter(arrivesNs, fromNs);
    int left = notAfter(leavesNs, fromNs);
    double area = 0;
    long sinceNs = fromNs;
    while (sinceNs < toNs) {
      long arrivesNext = arrived < arrivesNs.length ? arrivesNs[arrived] : toNs;
      long leavesNext = left < leavesNs.length ? leavesNs[left] : toNs;
      long untilNs = Math.min(toNs, Math.min(arrivesNext, leavesNext));
      area += (double) (arrived - left) * (untilNs - sinceNs);
      sinceNs = untilNs;
      while (arrived < arrivesNs.length && arrivesNs[arrived] <= untilNs) {
        arrived++;
      }
      while (left < leavesNs.length && leavesNs[left] <= untilNs) {
        left++;
      }
    }
    return area / (toNs - fromNs);
  }

  /** Largest number that waited at once in [fromNs, toNs). */
  public long max(long fromNs, long toNs) {
    int left = notAfter(leavesNs, fromNs);
    int arrived = notAfter(arrivesNs, fromNs);
    long most = (long) arrived - left;
    while (arrived < arrivesNs.length && arrivesNs[arrived] < toNs) {
      long ns = arrivesNs[arrived];
      while (arrived < arrivesNs.length && arrivesNs[arrived] == ns) {
        arrived++;
      }
      while (left < leavesNs.length && leavesNs[left] <= ns) {
        left++;
      }
      most = Math.max(most, (long) arrived - left);
    }
    return most;
  }

  /** Number of times that are not after a time, of rising ones. */
  private static int notAfter(long[] timesNs, long timeNs) {
    int low = 0;
    int high = timesNs.length;
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (timesNs[middle] <= timeNs) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }
}
