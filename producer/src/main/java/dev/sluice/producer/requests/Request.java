package dev.sluice.producer.requests;

/**
 * A job of the request list, before it is sent.
 *
 * @param jobId {@code job-} and the index
 * @param sloNs latency promise, from intended arrival to end
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

  public Request at(long otherNs) {
    return new Request(
        index, jobId, classType, workload, backend, precision, samples, sloNs, otherNs);
  }
}
