package dev.sluice.contract.log;

import dev.sluice.contract.event.JobRequested;
import org.jspecify.annotations.Nullable;

/**
 * All that a recorded request tells of itself, but its time. Whatever the source did not tell is
 * missing.
 *
 * @param classType class of the job; null: not told
 * @param workload workload, or a foreign name of one; null: not told
 * @param backend backend; null: not told
 * @param precision precision; null: not told
 * @param samples number of inputs, at least 1; 0: not told
 * @param sloNs latency promise, from intended arrival to end; 0: not told
 */
public record RequestKind(
    @Nullable String classType,
    @Nullable String workload,
    @Nullable String backend,
    @Nullable String precision,
    int samples,
    long sloNs) {
  /** The kind of a request of which only the time is known. */
  public static final RequestKind UNKNOWN = new RequestKind(null, null, null, null, 0, 0);

  public static RequestKind of(JobRequested job) {
    return new RequestKind(
        job.classType(),
        job.workload(),
        job.backend(),
        job.precision(),
        job.samples(),
        job.sloNs());
  }

  public boolean isComplete() {
    return classType != null
        && workload != null
        && backend != null
        && precision != null
        && samples > 0
        && sloNs > 0;
  }
}
