package dev.sluice.scheduling.policy;

import dev.sluice.contract.event.JobRequested;
import org.jspecify.annotations.Nullable;

/**
 * A job as it was requested, or as a workflow released it.
 *
 * @param source number of the generator that sent the job
 * @param index number of the job, which rises per source; ties compare source, then index
 * @param classType name of a job class of the settings
 * @param samples number of inputs in the job, at least 1
 * @param lanesNeeded number of lanes that the job takes at once, at least 1; several lanes are
 *     neighbours by index
 * @param sloNs latency promise from intended arrival
 * @param intendedAtNs time at which the job was meant to arrive
 * @param node place in a workflow; null: the job is part of none
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
   * @param place place among the workflow's nodes
   * @param pathNs duration of the work on the longest path from the job's start to the workflow's
   *     end
   */
  public record Node(long workflow, int place, long pathNs) {}

  /** Makes the job of a request: it takes one lane. */
  public static JobSpec of(JobRequested request) {
    return new JobSpec(
        request.jobId(),
        request.generator(),
        request.index(),
        request.classType(),
        request.workload(),
        request.backend(),
        request.precision(),
        request.samples(),
        1,
        request.sloNs(),
        request.intendedAtNs(),
        null);
  }

  /**
   * Returns the duration of the longest path from this job's start to its workflow's end; 0 if it
   * is part of none.
   */
  public long pathNs() {
    return node == null ? 0 : node.pathNs();
  }

  /** Returns intended arrival + latency promise, at most {@link Long#MAX_VALUE}. */
  public long deadlineNs() {
    return sloNs > Long.MAX_VALUE - intendedAtNs ? Long.MAX_VALUE : intendedAtNs + sloNs;
  }
}
