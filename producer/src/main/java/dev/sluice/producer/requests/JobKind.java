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
  /** Equal in value to few others: each request of a file may have a promise of its own. */
  @Override
  public int hashCode() {
    int model = 31 * (31 * workload.hashCode() + backend.hashCode()) + precision.hashCode();
    return 31 * (31 * (31 * model + classType.hashCode()) + samples) + Long.hashCode(sloNs);
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
