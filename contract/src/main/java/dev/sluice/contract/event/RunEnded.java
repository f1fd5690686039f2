package dev.sluice.contract.event;

import dev.sluice.contract.value.Checks;
import org.jspecify.annotations.Nullable;

/**
 * A run has ended: every job sent has its outcome, or the run was given up. Topic {@code runs}; the
 * first such record counts, and every role ends with it.
 *
 * <p>Version 2 adds {@code failure}, version 3 {@code jobsNeverSent}.
 *
 * @param tailLimitReached whether measured jobs still waited when the tail was over
 * @param interrupted whether a person ended the arrivals early
 * @param failure reason why the run was given up; null: it came to its end
 * @param jobsNeverSent number of jobs of the request list that were meant for a time at which no
 *     generator ran, so that none was sent; null: not known
 */
@Event.Version(3)
public record RunEnded(
    String runId,
    long jobsSent,
    boolean tailLimitReached,
    boolean interrupted,
    long endedAtNs,
    @Nullable String failure,
    @Nullable Long jobsNeverSent)
    implements RunRecord {
  public RunEnded {
    Checks.atLeast(0, jobsSent, "jobsSent");
    Checks.atLeastOrNull(0, jobsNeverSent, "jobsNeverSent");
  }
}
