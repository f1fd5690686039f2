package dev.sluice.producer.trace;

import org.jspecify.annotations.Nullable;

/**
 * What a recorded request says of itself, beside its time. What it does not say is null or 0.
 *
 * @param samples 1 to 4096; 0: not recorded
 * @param sloNs latency promise, above 0; 0: not recorded
 */
public record TraceKind(
    @Nullable String classType,
    @Nullable String workload,
    @Nullable String backend,
    @Nullable String precision,
    int samples,
    long sloNs) {
  /** Tells whether the request says all of itself. */
  public boolean isComplete() {
    return classType != null
        && workload != null
        && backend != null
        && precision != null
        && samples > 0
        && sloNs > 0;
  }

  /** The kind of a request of which only the time is known. */
  public static final TraceKind UNKNOWN = new TraceKind(null, null, null, null, 0, 0);
}
