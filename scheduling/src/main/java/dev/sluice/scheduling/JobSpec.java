package dev.sluice.scheduling;

/**
 * A job as it was requested.
 *
 * @param source which generator sent it
 * @param index rises per source; ties compare source, then index
 * @param classType a key of {@link CoreSettings#classes()}
 * @param samples inputs in it, at least 1
 * @param lanesNeeded lanes that it takes at once; 1, until gangs
 * @param sloNs latency promise from intended arrival
 * @param intendedAtNs when it was meant to arrive
 */
public record JobSpec(
    String id,
    int source,
    long index,
    String classType,
    String workload,
    String backend,
    String precision,
    int samples,
    int lanesNeeded,
    long sloNs,
    long intendedAtNs) {
  /** Intended arrival + latency promise, at most {@link Long#MAX_VALUE}. */
  public long deadlineNs() {
    return sloNs > Long.MAX_VALUE - intendedAtNs ? Long.MAX_VALUE : intendedAtNs + sloNs;
  }
}
