package dev.sluice.analytics.check;

import dev.sluice.contract.file.UserMistakeException;

/**
 * A row of trace.csv. Times are nanoseconds since time zero, to the microsecond; durations are
 * exact nanoseconds. An empty cell is {@link Cells#NONE}.
 */
final class Job {
  /** Place of the row in its table, from 0. */
  final int row;

  final String where;
  final String runId;
  final String scheduler;
  final String id;
  final String classType;
  final String workload;
  final String backend;
  final String precision;
  final long samples;
  final long enqueueNs;
  final long startNs;
  final long endNs;
  final long waitNs;
  final long serviceNs;
  final long endToEndNs;
  final String samplesPerSecond;
  final long sloNs;
  final String violation;
  final String lane;
  final long predictedNs;
  final long tokens;
  final String phase;
  final String status;
  final String reason;
  final String dispatchId;
  final long dispatchSamples;
  final long shareNs;
  final long attempt;
  final long sentNs;
  final long appendedNs;
  final long decidedNs;
  final long observedNs;
  final long shard;

  /** Shard and dispatch id, since ids are unique only within a shard; empty without a dispatch. */
  final String batchKey;

  Job(Cells cells) throws UserMistakeException {
    row = cells.row;
    where = cells.where;
    runId = cells.name("run_id");
    scheduler = cells.name("scheduler_name");
    id = cells.text("job_id");
    classType = cells.name("class_type");
    workload = cells.name("workload_name");
    backend = cells.name("backend");
    precision = cells.name("precision");
    samples = cells.count("batch_size");
    enqueueNs = cells.secondsAsNs("enqueue_time");
    startNs = cells.secondsAsNs("start_time");
    endNs = cells.secondsAsNs("end_time");
    waitNs = cells.msAsNs("wait_ms");
    serviceNs = cells.msAsNs("service_ms");
    endToEndNs = cells.msAsNs("e2e_ms");
    samplesPerSecond = cells.text("throughput_sps");
    sloNs = cells.msAsNs("slo_ms");
    violation = cells.name("slo_violation");
    lane = cells.name("lane_id");
    predictedNs = cells.msAsNs("predicted_service_ms");
    tokens = cells.count("resource_cost_tokens");
    phase = cells.name("phase");
    status = cells.name("status");
    reason = cells.name("reason");
    dispatchId = cells.text("dispatch_id");
    dispatchSamples = cells.count("dispatch_samples");
    shareNs = cells.msAsNs("service_share_ms");
    attempt = cells.count("attempt");
    sentNs = cells.secondsAsNs("sent_time");
    appendedNs = cells.secondsAsNs("appended_time");
    decidedNs = cells.secondsAsNs("decided_time");
    observedNs = cells.secondsAsNs("observed_time");
    shard = cells.count("shard");
    batchKey = dispatchId.isEmpty() ? "" : shard + "/" + dispatchId;
  }

  boolean isDone() {
    return status.equals("done");
  }

  boolean isMeasured() {
    return phase.equals("measured");
  }
}
