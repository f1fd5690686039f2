package dev.sluice.scheduling.policy;

import java.util.Comparator;

/** A total order of waiting jobs. */
public enum JobOrder implements Comparator<SchedulerState.Job> {
  /** By deadline, intended arrival, source, index. */
  DEADLINE {
    @Override
    public int compare(SchedulerState.Job a, SchedulerState.Job b) {
      int byDeadline = Long.compare(a.deadlineNs(), b.deadlineNs());
      return byDeadline != 0 ? byDeadline : byArrivalThenId(a.spec(), b.spec());
    }
  },

  /** By the sequence in which the core took its jobs in. */
  ENTRY {
    @Override
    public int compare(SchedulerState.Job a, SchedulerState.Job b) {
      return Long.compare(a.entry(), b.entry());
    }
  },

  /** By intended arrival, deadline, source, index. */
  ARRIVAL {
    @Override
    public int compare(SchedulerState.Job a, SchedulerState.Job b) {
      int byArrival = Long.compare(a.spec().intendedAtNs(), b.spec().intendedAtNs());
      return byArrival != 0 ? byArrival : DEADLINE.compare(a, b);
    }
  },

  /**
   * By intended arrival − the remaining path of the job's workflow, then by entry: of jobs that
   * arrived together the longest path comes first, and no job is overtaken for ever.
   */
  PATH {
    @Override
    public int compare(SchedulerState.Job a, SchedulerState.Job b) {
      int byPath =
          Long.compare(
              a.spec().intendedAtNs() - a.spec().pathNs(),
              b.spec().intendedAtNs() - b.spec().pathNs());
      return byPath != 0 ? byPath : ENTRY.compare(a, b);
    }
  };

  private static int byArrivalThenId(JobSpec a, JobSpec b) {
    int byArrival = Long.compare(a.intendedAtNs(), b.intendedAtNs());
    if (byArrival != 0) {
      return byArrival;
    }
    int bySource = Integer.compare(a.source(), b.source());
    return bySource != 0 ? bySource : Long.compare(a.index(), b.index());
  }
}
