package dev.sluice.producer.requests;

/**
 * A job of the request list, before it is sent.
 *
 * @param index place in the list, from 0
 * @param jobId {@code job-} and the index
 * @param sloNs latency promise, from intended arrival to end
 * @param intendedAtNs time at which the job is meant to be sent
 */
public record Request(
    int index,
    String jobId,
    String classType,
    String workload,
    String backend,
    String precision,
    int samples,
    long sloNs,
    long intendedAtNs) {

  /** Returns this job, meant to be sent at another time. */
  public Request at(long otherNs) {
    return new Request(
        index, jobId, classType, workload, backend, precision, samples, sloNs, otherNs);
  }
}
