package dev.sluice.contract.event;

import static java.util.Objects.requireNonNull;

import dev.sluice.contract.value.Checks;
import org.jspecify.annotations.Nullable;

/**
 * A run has ended: every job sent has its outcome, or the run was given up. Topic {@code runs}; the
 * first such record counts, and every role ends with it.
 *
 * <p>Version 2 adds {@code failure}.
 *
 * @param jobsSent number of jobs that all generators sent
 * @param tailLimitReached whether measured jobs still waited when the tail was over
 * @param interrupted whether a person ended the arrivals early
 * @param failure reason why the run was given up; null: it came to its end
 */
public record RunEnded(
    String runId,
    long jobsSent,
    boolean tailLimitReached,
    boolean interrupted,
    long endedAtNs,
    @Nullable String failure)
    implements RunRecord {
  public static final int VERSION = 2;

  public RunEnded {
    requireNonNull(runId, "runId");
    Checks.atLeast(0, jobsSent, "jobsSent");
  }

  @Override
  public int version() {
    return VERSION;
  }
}
