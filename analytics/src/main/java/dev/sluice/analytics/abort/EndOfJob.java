package dev.sluice.analytics.abort;

import dev.sluice.contract.event.JobEnded.Status;
import dev.sluice.contract.event.JobRequested;

/**
 * A job with its end.
 *
 * @param startedAtNs start of the batch that did the job; 0 unless it is done
 * @param finishedAtNs end of that batch; 0 unless the job is done
 * @param serviceNs service time of that batch; 0 unless the job is done
 */
record EndOfJob(
    JobRequested request, Status status, long startedAtNs, long finishedAtNs, long serviceNs) {
  boolean isDone() {
    return status == Status.DONE;
  }

  long endToEndNs() {
    return finishedAtNs - request.intendedAtNs();
  }

  boolean isViolation() {
    return !isDone() || endToEndNs() > request.sloNs();
  }
}
