package dev.sluice.scheduling;

import dev.sluice.scheduling.CoreEntity.WaitingJob;
import dev.sluice.scheduling.policy.SchedulerState;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A job inside the core. */
final class QueuedJob implements SchedulerState.Job {
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
  final long sloNs;
  int attempts;
  Phase phase = Phase.WAITING;

  /** Whether the check of a batch has met it there. */
  boolean seenByCheck;

  /** Whether a driver was told to keep it as a waiting job. */
  boolean kept;

  /** The batch in which it runs; null: it does not. */
  @Nullable Batch batch;

  /** The batches it was in that were lost and are still remembered; null: none. */
  @Nullable List<Batch> lostIn;

  /** The workflow that it is part of; null: of none. */
  @Nullable RunningWorkflow workflow;

  /** Whether the core's list of what may wait too long holds it. */
  boolean mayExpire;

  QueuedJob(JobSpec spec, JobGroup group, long entry, long appendedAtNs, int attempts) {
    this.spec = spec;
    this.group = group;
    this.entry = entry;
    this.appendedAtNs = appendedAtNs;
    this.attempts = attempts;
    this.deadlineNs = spec.deadlineNs();
    this.sloNs = spec.sloNs();
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
