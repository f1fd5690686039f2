package dev.sluice.analytics.fold;

import dev.sluice.analytics.row.JobView;
import dev.sluice.analytics.row.Jobs;
import dev.sluice.analytics.statistic.LongBag;
import java.util.List;
import java.util.function.IntPredicate;
import org.jspecify.annotations.Nullable;

/** Walks over the times at which the number of waiting jobs changes, in their order. */
public final class QueueWalk {
  private final Jobs jobs;

  /** Says which jobs count; null: all. */
  private final @Nullable IntPredicate which;

  private final Steps to;
  private int nextPlace;
  private boolean begun;
  private long atNs;
  private long waiting;

  /** Takes the number of jobs that wait from a time on. */
  public interface Steps {
    void step(long atNs, long waiting);
  }

  private QueueWalk(Jobs jobs, @Nullable IntPredicate which, Steps to) {
    this.jobs = jobs;
    this.which = which;
    this.to = to;
  }

  /** Walks over the queue of the jobs for which holds what is asked; each time comes once. */
  public static void over(Jobs jobs, IntPredicate which, Steps to) {
    var leavesNs = new LongBag();
    JobView job = jobs.view();
    for (int i = 0; i < jobs.size(); i++) {
      if (which.test(jobs.at(i))) {
        job.show(jobs.at(i));
        addLeave(job, leavesNs);
      }
    }
    new QueueWalk(jobs, which, to).through(leavesNs);
    leavesNs.clear();
  }

  /**
   * Walks over the queue of all jobs; each time comes once.
   *
   * @param leavesNs what {@link #addLeave} added of each of them
   */
  public static void over(Jobs jobs, LongBag leavesNs, Steps to) {
    new QueueWalk(jobs, null, to).through(leavesNs);
  }

  /** Adds the time at which a job stops to wait, if it does. */
  public static void addLeave(JobView job, LongBag leavesNs) {
    long untilNs = job.waitedUntilNs();
    if (untilNs != Long.MAX_VALUE) {
      leavesNs.add(Math.max(untilNs, job.intendedAtNs()));
    }
  }

  private void through(LongBag leavesNs) {
    LongBag.sortedRuns(List.of(leavesNs), this::leave);
    arriveThrough(Long.MAX_VALUE);
    if (begun) {
      to.step(atNs, waiting);
    }
  }

  private void leave(long ns, long count) {
    if (count > 0) {
      arriveThrough(ns);
      change(ns, -count);
    }
  }

  private void arriveThrough(long ns) {
    while (nextPlace < jobs.size()) {
      int job = jobs.at(nextPlace);
      if (which == null || which.test(job)) {
        long arrivesAtNs = jobs.intendedAtNs(job);
        if (arrivesAtNs > ns) {
          return;
        }
        change(arrivesAtNs, 1);
      }
      nextPlace++;
    }
  }

  private void change(long ns, long by) {
    if (begun && ns != atNs) {
      to.step(atNs, waiting);
    }
    begun = true;
    atNs = ns;
    waiting += by;
  }

  /** The queue within a span of time, to which its end does not belong. */
  public static final class Span implements Steps {
    private final long fromNs;
    private final long toNs;
    private long sinceNs;
    private long atBeginning;
    private long now;
    private long most;
    private double area;

    /** A span through which no step has been taken. */
    public Span(long fromNs, long toNs) {
      this.fromNs = fromNs;
      this.toNs = toNs;
      sinceNs = fromNs;
    }

    @Override
    public void step(long ns, long waiting) {
      if (ns <= fromNs) {
        atBeginning = waiting;
        now = waiting;
        most = waiting;
      } else if (ns < toNs) {
        area += (double) now * (ns - sinceNs);
        sinceNs = ns;
        now = waiting;
        most = Math.max(most, waiting);
      }
    }

    /** Number of jobs that wait just after the span's beginning. */
    public long atBeginning() {
      return atBeginning;
    }

    /** Time average. */
    public double mean() {
      return (area + (double) now * (toNs - sinceNs)) / (toNs - fromNs);
    }

    /** Largest number that waited at once. */
    public long max() {
      return most;
    }
  }
}
