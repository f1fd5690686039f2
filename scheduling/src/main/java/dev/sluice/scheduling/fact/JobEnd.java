package dev.sluice.scheduling.fact;

import dev.sluice.scheduling.policy.JobName;
import org.jspecify.annotations.Nullable;

/**
 * The end of a job; each job has exactly one.
 *
 * @param reason reason why the job was dropped or failed; null if done
 * @param dispatch the dispatch that ended it; null if dropped
 * @param attempt number of its dispatches, without refusals
 */
public record JobEnd(
    JobName job,
    Status status,
    @Nullable String reason,
    @Nullable DispatchName dispatch,
    int attempt,
    long endedAtNs) {
  /** The three ends of a job. */
  public enum Status {
    DONE,
    DROPPED,
    FAILED
  }

  /** Makes the end of a job whose name is at hand as text. */
  public JobEnd(
      String jobId,
      Status status,
      @Nullable String reason,
      @Nullable DispatchName dispatch,
      int attempt,
      long endedAtNs) {
    this(JobName.of(jobId), status, reason, dispatch, attempt, endedAtNs);
  }

  /** Returns the job's name as text. */
  public String jobId() {
    return job.text();
  }
}
