package dev.sluice.scheduling;

import dev.sluice.scheduling.CoreEntity.WaitingJob;
import dev.sluice.scheduling.policy.JobOrder;
import dev.sluice.scheduling.policy.SchedulerState;
import org.jspecify.annotations.Nullable;

/** A job inside the core, and its places in the lists of its group. */
final class QueuedJob implements SchedulerState.Job {
  private static final int ORDERS = JobOrder.values().length;

  /** Where a job is. */
  enum Phase {
    WAITING,
    RUNNING,
    ENDED
  }

  final JobSpec spec;
  final JobGroup group;
  final long entry;
  final long appendedAtNs;
  final long deadlineNs;
  int attempts;
  Phase phase = Phase.WAITING;

  /** Whether a driver was told to keep it as a waiting job. */
  boolean kept;

  final @Nullable QueuedJob[] previous = new QueuedJob[ORDERS];
  final @Nullable QueuedJob[] next = new QueuedJob[ORDERS];

  QueuedJob(JobSpec spec, JobGroup group, long entry, long appendedAtNs, int attempts) {
    this.spec = spec;
    this.group = group;
    this.entry = entry;
    this.appendedAtNs = appendedAtNs;
    this.attempts = attempts;
    this.deadlineNs = spec.deadlineNs();
  }

  @Override
  public JobSpec spec() {
    return spec;
  }

  @Override
  public JobGroup group() {
    return group;
  }

  @Override
  public long entry() {
    return entry;
  }

  @Override
  public long deadlineNs() {
    return deadlineNs;
  }

  WaitingJob toEntity() {
    return new WaitingJob(spec, entry, appendedAtNs, attempts);
  }

  @Override
  public String toString() {
    return spec.id();
  }
}
