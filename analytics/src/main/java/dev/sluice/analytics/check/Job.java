package dev.sluice.analytics.check;

import dev.sluice.contract.file.UserMistakeException;

/** A row of trace.csv. */
final class Job extends Row {
  /** Length of the longest id whose number is looked at: more jobs no table has. */
  private static final int ID_CHARS = "job-".length() + 9;

  final String runId = name("run_id");
  final String scheduler = name("scheduler_name");
  final String id = text("job_id");
  final String classType = name("class_type");
  final String workload = name("workload_name");
  final String backend = name("backend");
  final String precision = name("precision");
  final long samples = count("batch_size");
  final long enqueueNs = seconds("enqueue_time");
  final long startNs = seconds("start_time");
  final long endNs = seconds("end_time");
  final long waitNs = ms("wait_ms");
  final long serviceNs = ms("service_ms");
  final long endToEndNs = ms("e2e_ms");
  final String samplesPerSecond = text("throughput_sps");
  final long sloNs = ms("slo_ms");
  final String violation = name("slo_violation");
  final String lane = name("lane_id");
  final long predictedNs = ms("predicted_service_ms");
  final long tokens = count("resource_cost_tokens");
  final String phase = name("phase");
  final String status = name("status");
  final String reason = name("reason");
  final String dispatchId = text("dispatch_id");
  final long dispatchSamples = count("dispatch_samples");
  final long shareNs = ms("service_share_ms");
  final long attempt = count("attempt");
  final long sentNs = seconds("sent_time");
  final long appendedNs = seconds("appended_time");
  final long decidedNs = seconds("decided_time");
  final long observedNs = seconds("observed_time");
  final long shard = count("shard");

  /** Number in an id of the form {@code job-17}; −1 for any other. */
  final int index =
      id.startsWith("job-") && id.length() <= ID_CHARS ? (int) digits(id.substring(4)) : -1;

  /** Shard and dispatch id, since ids are unique only within a shard; empty without a dispatch. */
  final String batchKey = dispatchId.isEmpty() ? "" : shard + "/" + dispatchId;

  Job(Cells cells) throws UserMistakeException {
    super(cells);
  }

  @Override
  String words() {
    return "job (" + id + ")";
  }

  @Override
  String state() {
    return status;
  }

  boolean isDone() {
    return status.equals("done");
  }

  boolean isMeasured() {
    return phase.equals("measured");
  }

  boolean isInTime() {
    return isDone() && endToEndNs <= sloNs;
  }

  boolean names(Batch batch) {
    return batchKey.equals(batch.key);
  }
}
