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
