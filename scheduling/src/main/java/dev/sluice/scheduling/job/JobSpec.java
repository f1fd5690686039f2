package dev.sluice.scheduling.job;

import org.jspecify.annotations.Nullable;

/**
 * A job as it was requested, or as a workflow released it.
 *
 * @param source which generator sent it
 * @param index rises per source; ties compare source, then index
 * @param classType the name of a job class of the settings
 * @param samples inputs in it, at least 1
 * @param lanesNeeded lanes that it takes at once, at least 1; several are neighbours by index
 * @param sloNs latency promise from intended arrival
 * @param intendedAtNs when it was meant to arrive
 * @param node of which workflow it is a part; null: of none
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
    @Nullable Node node) {
  /**
   * A job's place in its workflow.
   *
   * @param workflow index of the workflow's request, from the same source
   * @param place among the workflow's nodes
   * @param pathNs how long the work on the longest way from its start to the workflow's end takes
   */
  public record Node(long workflow, int place, long pathNs) {}

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
        null);
  }

  /** How long its workflow takes from its start on; 0: it is part of none. */
  public long pathNs() {
    return node == null ? 0 : node.pathNs();
  }

  /** Intended arrival + latency promise, at most {@link Long#MAX_VALUE}. */
  public long deadlineNs() {
    return sloNs > Long.MAX_VALUE - intendedAtNs ? Long.MAX_VALUE : intendedAtNs + sloNs;
  }
}
