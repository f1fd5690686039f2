package dev.sluice.analytics.check;

/**
 * A row of trace.csv. Times are nanoseconds since time zero, to the microsecond; durations are
 * exact nanoseconds. An empty cell is {@link Decimal#NONE}.
 */
public final class Job {
  /** Place of the row in its table, from 0. */
  public final int row;

  public final String where;
  public final String runId;
  public final String scheduler;
  public final String id;
  public final String classType;
  public final String workload;
  public final String backend;
  public final String precision;
  public final long samples;
  public final long enqueueNs;
  public final long startNs;
  public final long endNs;
  public final long waitNs;
  public final long serviceNs;
  public final long endToEndNs;
  public final String samplesPerSecond;
  public final long sloNs;
  public final String violation;
  public final String lane;
  public final long predictedNs;
  public final long tokens;
  public final String phase;
  public final String status;
  public final String reason;
  public final String dispatchId;
  public final long dispatchSamples;
  public final long shareNs;
  public final long attempt;
  public final long sentNs;
  public final long appendedNs;
  public final long decidedNs;
  public final long observedNs;
  public final long shard;

  private final String batchKey;

  Job(Cells cells) {
    row = cells.row();
    where = cells.where();
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

  public boolean isDone() {
    return status.equals("done");
  }

  public boolean isMeasured() {
    return phase.equals("measured");
  }

  /** Shard and dispatch id, since ids are unique only within a shard; empty without a dispatch. */
  public String batchKey() {
    return batchKey;
  }
}
