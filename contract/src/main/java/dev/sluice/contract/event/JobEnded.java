package dev.sluice.contract.event;

import dev.sluice.contract.value.DispatchId;
import dev.sluice.contract.value.Reason;
import org.jspecify.annotations.Nullable;

/**
 * The end of one job; there is exactly one for every job. Topic {@code outcomes}.
 *
 * @param reason reason why it was dropped, as the text of a {@link Reason}, or failed: {@link
 *     Reason#LANE_LOST} after the last attempt, else the inference's own words; null if done
 * @param dispatchId the dispatch that ended it; null if it was dropped
 * @param attempt number of its dispatches, refusals not counted
 * @param endedAtNs log time of the fact that ended it
 */
public record JobEnded(
    String jobId,
    Status status,
    @Nullable String reason,
    @Nullable DispatchId dispatchId,
    int attempt,
    long endedAtNs)
    implements Outcome {

  public static JobEnded done(String jobId, DispatchId dispatchId, int attempt, long endedAtNs) {
    return new JobEnded(jobId, Status.DONE, null, dispatchId, attempt, endedAtNs);
  }

  public enum Status {
    DONE,
    DROPPED,
    FAILED
  }
}
