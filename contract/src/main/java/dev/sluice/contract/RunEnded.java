package dev.sluice.contract;

import static java.util.Objects.requireNonNull;

/**
 * A run has ended: every job sent has its outcome. Topic {@code runs}; the last record of a run.
 *
 * @param jobsSent how many jobs all generators sent
 * @param tailLimitReached whether measured jobs still waited when the tail was over
 * @param interrupted whether a person ended the arrivals early
 */
public record RunEnded(
    String runId, long jobsSent, boolean tailLimitReached, boolean interrupted, long endedAtNs)
    implements RunRecord {
  public static final int VERSION = 1;

  public RunEnded {
    requireNonNull(runId, "runId");
    Checks.atLeast(0, jobsSent, "jobsSent");
  }

  @Override
  public int version() {
    return VERSION;
  }
}
