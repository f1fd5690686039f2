package dev.sluice.contract.event;

import static java.util.Objects.requireNonNull;

import dev.sluice.contract.value.DispatchId;
import org.jspecify.annotations.Nullable;

/**
 * What became of one job; exactly one for every job. Topic {@code outcomes}.
 *
 * @param reason why it was dropped ({@code expired}, {@code hopeless}, {@code over_budget}, {@code
 *     queue_full}, {@code waited_too_long}, {@code run_ended}, {@code unrunnable}, or {@code
 *     input_not_done} where a job that it waited for in its workflow was not done) or failed
 *     ({@code lane_lost} after the last attempt, else the inference's cause); null if done
 * @param dispatchId the dispatch that ended it; null if it was dropped
 * @param attempt how many times it was dispatched, refusals not counted
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
  public static final int VERSION = 1;

  public JobEnded {
    requireNonNull(jobId, "jobId");
    requireNonNull(status, "status");
  }

  @Override
  public int version() {
    return VERSION;
  }

  /** The three ends of a job. */
  public enum Status {
    DONE,
    DROPPED,
    FAILED
  }
}
