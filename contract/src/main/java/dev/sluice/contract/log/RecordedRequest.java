package dev.sluice.contract.log;

import org.jspecify.annotations.Nullable;

/**
 * A request of a recorded load. Whatever the source did not tell is missing.
 *
 * @param intendedAtNs time at which the request was meant to arrive, since the load's beginning
 * @param classType class of the job; null: not told
 * @param workload workload, or a foreign name of one; null: not told
 * @param backend backend; null: not told
 * @param precision precision; null: not told
 * @param samples number of inputs, at least 1; 0: not told
 * @param sloNs latency promise, from intended arrival to end; 0: not told
 */
public record RecordedRequest(
    long intendedAtNs,
    @Nullable String classType,
    @Nullable String workload,
    @Nullable String backend,
    @Nullable String precision,
    int samples,
    long sloNs) {

  public RecordedRequest {
    if (intendedAtNs < 0 || samples < 0 || sloNs < 0) {
      throw new IllegalArgumentException(
          "a request has a number below 0: " + intendedAtNs + ", " + samples + ", " + sloNs);
    }
  }

  /** Tells whether nothing is missing. */
  public boolean isComplete() {
    return classType != null
        && workload != null
        && backend != null
        && precision != null
        && samples > 0
        && sloNs > 0;
  }
}
