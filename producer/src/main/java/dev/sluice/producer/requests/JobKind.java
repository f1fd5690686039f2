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
  /** Returns a recorded kind, which must be complete. */
  static JobKind of(RequestKind kind) {
    return new JobKind(
        requireNonNull(kind.classType()),
        requireNonNull(kind.workload()),
        requireNonNull(kind.backend()),
        requireNonNull(kind.precision()),
        kind.samples(),
        kind.sloNs());
  }

  /** The model that such a job runs. */
  ModelKey model() {
    return new ModelKey(workload, backend, precision);
  }

  /** Returns this kind as a recording has it. */
  RequestKind asRecorded() {
    return new RequestKind(classType, workload, backend, precision, samples, sloNs);
  }
}
