package dev.sluice.scheduling.fact;

import org.jspecify.annotations.Nullable;

/**
 * The end of a job; each job has exactly one.
 *
 * @param reason reason why the job was dropped or failed; null if done
 * @param dispatch the dispatch that ended it; null if dropped
 * @param attempt number of its dispatches, without refusals
 */
public record JobEnd(
    String jobId,
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
}
