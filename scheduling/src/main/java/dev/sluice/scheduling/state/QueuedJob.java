package dev.sluice.scheduling.state;

import dev.sluice.scheduling.fact.CoreEntity.WaitingJob;
import dev.sluice.scheduling.job.JobSpec;
import dev.sluice.scheduling.policy.SchedulerState;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A job inside the core. */
public final class QueuedJob implements SchedulerState.Job {
  /** Where a job is. */
  public enum Phase {
    WAITING,
    RUNNING,
    ENDED
  }

  public final JobSpec spec;
  public final JobGroup group;
  final long entry;
  public final long appendedAtNs;
  public final long deadlineNs;
  final long sloNs;
  public int attempts;
  public Phase phase = Phase.WAITING;

  /** Whether the check of a batch has met it there. */
  public boolean seenByCheck;

  /** Whether a driver was told to keep it as a waiting job. */
  public boolean kept;

  /** The batch in which it runs; null: it does not. */
  @Nullable public Batch batch;

  /** The batches it was in that were lost and are still remembered; null: none. */
  @Nullable public List<Batch> lostIn;

  /** The workflow that it is part of; null: of none. */
  @Nullable public RunningWorkflow workflow;

  /** Whether the core's list of what may wait too long holds it. */
  public boolean mayExpire;

  public QueuedJob(JobSpec spec, JobGroup group, long entry, long appendedAtNs, int attempts) {
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

  public WaitingJob toEntity() {
    return new WaitingJob(spec, entry, appendedAtNs, attempts);
  }

  @Override
  public String toString() {
    return spec.id();
  }
}
