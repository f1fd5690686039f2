package dev.sluice.scheduling.policy;

import dev.sluice.scheduling.policy.SchedulerState.Job;
import java.util.Comparator;
import java.util.function.ToLongFunction;

/** A total order of waiting jobs. */
public enum JobOrder implements Comparator<Job> {
  /** By deadline, intended arrival, source, index. */
  DEADLINE(
      Job::deadlineNs,
      Comparator.<Job>comparingLong(job -> job.spec().intendedAtNs())
          .thenComparingInt(job -> job.spec().source())
          .thenComparingLong(job -> job.spec().index())),

  /** By the sequence in which the core took its jobs in. */
  ENTRY(Job::entry, Comparator.comparingLong(Job::entry)),

  /** By intended arrival, deadline, source, index. */
  ARRIVAL(job -> job.spec().intendedAtNs(), DEADLINE),

  /**
   * By intended arrival − the remaining path of the job's workflow, then by entry: of jobs that
   * arrived together the longest path comes first, and no job is overtaken for ever.
   */
  PATH(job -> job.spec().intendedAtNs() - job.spec().pathNs(), ENTRY);

  @SuppressWarnings("ImmutableEnumChecker") // as all functions here, it has no state
  private final ToLongFunction<Job> key;

  @SuppressWarnings("ImmutableEnumChecker")
  private final Comparator<Job> ties;

  JobOrder(ToLongFunction<Job> key, Comparator<Job> ties) {
    this.key = key;
    this.ties = ties;
  }

  /** Returns the value by which a job is ordered before ties: a time, or its entry. */
  public long key(Job job) {
    return key.applyAsLong(job);
  }

  @Override
  public int compare(Job a, Job b) {
    int byKey = Long.compare(key(a), key(b));
    return byKey != 0 ? byKey : ties.compare(a, b);
  }
}
