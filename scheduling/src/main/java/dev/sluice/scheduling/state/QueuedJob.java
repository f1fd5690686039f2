package dev.sluice.scheduling.state;

import dev.sluice.scheduling.driver.CoreEntity.WaitingJob;
import dev.sluice.scheduling.policy.JobSpec;
import dev.sluice.scheduling.policy.SchedulerState;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A job inside the core. */
public final class QueuedJob implements SchedulerState.Job {
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

  /** Number of its dispatches that were lost or failed so far, without refusals. */
  public int attempts;

  public Phase phase = Phase.WAITING;

  /** Whether the check of a batch has met the job in it. */
  public boolean seenByCheck;

  @Nullable public Batch batch;

  /** Lost batches of the job that are still remembered; null: none. */
  @Nullable public List<Batch> lostIn;

  @Nullable public RunningWorkflow workflow;

  /** Whether the core's list of jobs that may wait too long holds the job. */
  public boolean mayExpire;

  public QueuedJob(JobSpec spec, JobGroup group, long entry, long appendedAtNs, int attempts) {
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

  public WaitingJob toEntity() {
    return new WaitingJob(spec, entry, appendedAtNs, attempts);
  }

  @Override
  public String toString() {
    return spec.id();
  }
}
