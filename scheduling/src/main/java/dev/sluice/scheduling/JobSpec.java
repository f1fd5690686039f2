package dev.sluice.scheduling;

/**
 * A job as it was requested, or as a workflow released it.
 *
 * @param source which generator sent it
 * @param index rises per source; ties compare source, then index
 * @param classType a key of {@link CoreSettings#classes()}
 * @param samples inputs in it, at least 1
 * @param lanesNeeded lanes that it takes at once, at least 1; several are neighbours by index
 * @param sloNs latency promise from intended arrival
 * @param intendedAtNs when it was meant to arrive
 * @param pathNs how long the work on the longest way from its start to its workflow's end takes; 0:
 *     it is part of no workflow
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
    long intendedAtNs,
    long pathNs) {
  /** A job that is part of no workflow. */
  public JobSpec(
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
    this(
        id,
        source,
        index,
        classType,
        workload,
        backend,
        precision,
        samples,
        lanesNeeded,
        sloNs,
        intendedAtNs,
        0);
  }

  /** Intended arrival + latency promise, at most {@link Long#MAX_VALUE}. */
  public long deadlineNs() {
    return sloNs > Long.MAX_VALUE - intendedAtNs ? Long.MAX_VALUE : intendedAtNs + sloNs;
  }
}
