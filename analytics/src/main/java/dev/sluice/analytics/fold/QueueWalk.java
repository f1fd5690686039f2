package dev.sluice.analytics.fold;

import dev.sluice.analytics.column.LongBag;
import dev.sluice.analytics.column.Space;
import dev.sluice.analytics.row.Jobs;
import java.util.function.IntPredicate;

/** Walks over the times at which the number of waiting jobs changes, in their order. */
public final class QueueWalk {
  private final Jobs jobs;
  private final IntPredicate which;
  private final Steps to;
  private int nextPlace;
  private boolean begun;
  private long atNs;
  private long waiting;

  /** Takes the number of jobs that wait from a time on. */
  public interface Steps {
    void step(long atNs, long waiting);
  }

  private QueueWalk(Jobs jobs, IntPredicate which, Steps to) {
    this.jobs = jobs;
    this.which = which;
    this.to = to;
  }

  /**
   * Walks over the queue of the jobs for which holds what is asked; each time comes once.
   *
   * @param space room for the times at which jobs stop to wait
   */
  public static void over(Jobs jobs, IntPredicate which, Space space, Steps to) {
    var leaves = new LongBag(space);
    for (int i = 0; i < jobs.size(); i++) {
      int job = jobs.at(i);
      if (which.test(job)) {
        long untilNs = jobs.waitedUntilNs(job);
        if (untilNs != Long.MAX_VALUE) {
          leaves.add(Math.max(untilNs, jobs.intendedAtNs(job)));
        }
      }
    }
    var walk = new QueueWalk(jobs, which, to);
    leaves.sorted(walk::leave);
    leaves.clear();
    walk.arriveThrough(Long.MAX_VALUE);
    if (walk.begun) {
      to.step(walk.atNs, walk.waiting);
    }
  }

  private void leave(long ns) {
    arriveThrough(ns);
    change(ns, -1);
  }

  private void arriveThrough(long ns) {
    while (nextPlace < jobs.size()) {
      int job = jobs.at(nextPlace);
      if (which.test(job)) {
        if (jobs.intendedAtNs(job) > ns) {
          return;
        }
        change(jobs.intendedAtNs(job), 1);
      }
      nextPlace++;
    }
  }

  private void change(long ns, int by) {
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
