package dev.sluice.producer.requests;

import static java.util.Objects.requireNonNull;

import dev.sluice.contract.log.RequestKind;
import dev.sluice.contract.value.ModelKey;

/**
 * The attributes of a job, except its time. Few kinds exist, whatever the number of jobs.
 *
 * @param sloNs latency promise, from intended arrival to end; above 0
 */
public record JobKind(
    String classType, String workload, String backend, String precision, int samples, long sloNs) {
  /** Few numbers: each job looks its kind up, and most kinds differ in their model or samples. */
  @Override
  public int hashCode() {
    return 31 * (31 * workload.hashCode() + classType.hashCode()) + samples;
  }

  static JobKind of(RequestKind kind) {
    return new JobKind(
        requireNonNull(kind.classType()),
        requireNonNull(kind.workload()),
        requireNonNull(kind.backend()),
        requireNonNull(kind.precision()),
        kind.samples(),
        kind.sloNs());
  }

  ModelKey model() {
    return new ModelKey(workload, backend, precision);
  }

  RequestKind asRecorded() {
    return new RequestKind(classType, workload, backend, precision, samples, sloNs);
  }
}
