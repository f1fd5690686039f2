package dev.sluice.scheduling.fact;

import org.jspecify.annotations.Nullable;

/**
 * The one end of a job.
 *
 * @param reason why it was dropped or failed; null if done
 * @param dispatch the dispatch that ended it; null if dropped
 * @param attempt how many times it was dispatched, refusals not counted
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
