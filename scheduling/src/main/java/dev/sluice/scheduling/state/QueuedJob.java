package dev.sluice.scheduling.state;

import dev.sluice.scheduling.driver.CoreEntity.WaitingJob;
import dev.sluice.scheduling.policy.JobSpec;
import dev.sluice.scheduling.policy.SchedulerState;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A job inside the core. */
public final class QueuedJob implements SchedulerState.Job {
  /** Where a job is on its way. */
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
  private int attempts;

  /** The last snapshot before its last loss, and its attempts in that snapshot. */
  private int lostAfterSnapshot;

  private int attemptsInSnapshot;

  public Phase phase = Phase.WAITING;

  /** Whether the check of a batch has met the job in it. */
  public boolean seenByCheck;

  /** Batch in which the job runs; null: it does not run. */
  @Nullable public Batch batch;

  /** Lost batches of the job that are still remembered; null: none. */
  @Nullable public List<Batch> lostIn;

  /** Workflow that the job is part of; null: of none. */
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

  public int attempts() {
    return attempts;
  }

  /**
   * Counts the loss of a batch that the job was in.
   *
   * @param snapshot number of the core's last snapshot
   */
  public void countLoss(int snapshot) {
    if (lostAfterSnapshot != snapshot) {
      lostAfterSnapshot = snapshot;
      attemptsInSnapshot = attempts;
    }
    attempts++;
  }

  public WaitingJob toEntity() {
    return new WaitingJob(spec, entry, appendedAtNs, attempts);
  }

  /**
   * Returns the job as it was in a snapshot.
   *
   * @param snapshot number of the core's last snapshot, above 0
   */
  public WaitingJob toEntity(int snapshot) {
    return new WaitingJob(
        spec, entry, appendedAtNs, lostAfterSnapshot == snapshot ? attemptsInSnapshot : attempts);
  }

  @Override
  public String toString() {
    return spec.id();
  }
}
