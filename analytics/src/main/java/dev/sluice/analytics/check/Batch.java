package dev.sluice.analytics.check;

import dev.sluice.contract.file.UserMistakeException;
import java.util.List;

/** A row of dispatches.csv: one attempt to run one batch. */
final class Batch extends Row {
  final String id = text("dispatch_id");
  final String lane = name("lane_id");
  final List<String> jobIds = List.of(text("job_ids").split(" "));
  final long samples = count("samples");
  final long tokens = count("tokens");
  final long attempt = count("attempt");
  final String result = name("result");
  final long decidedNs = seconds("decided_time");
  final long startNs = seconds("start_time");
  final long endNs = seconds("end_time");
  final long predictedNs = ms("predicted_service_ms");
  final String source = name("prediction_source");
  final String scoreTerms = text("score_terms");
  final String cause = name("cause");
  final String workload = name("workload_name");
  final String backend = name("backend");
  final String precision = name("precision");
  final long serviceNs = ms("service_ms");
  final long switchNs = ms("switch_ms");
  final long emulatedNs = ms("emulated_service_ms");
  final long completedNs = seconds("completed_time");
  final long shard = count("shard");
  final long quantileNs = ms("predicted_quantile_ms");
  final long p95Ns = ms("predicted_p95_ms");
  final long p99Ns = ms("predicted_p99_ms");
  final String modelVersion = name("model_version");
  final long predictedBusyLanes = count("predicted_busy_lanes");
  final long busyLanes = count("busy_lanes");

  /** Offset of the fact that led to the dispatch, as its id says; −1 if the id says none. */
  final long offset = digits(id.split("-", 2)[0]);

  /** Place among the dispatches of that fact, as its id says; −1 if the id says none. */
  final long place = id.contains("-") ? digits(id.substring(id.indexOf('-') + 1)) : -1;

  /** Shard and dispatch id, since ids are unique only within a shard. */
  final String key = shard + "/" + id;

  /** Jobs that it holds, of those that the trace has. */
  List<Job> jobs = List.of();

  final String executor = lane.substring(0, Math.max(0, lane.lastIndexOf('/')));

  Batch(Cells cells) throws UserMistakeException {
    super(cells);
  }

  @Override
  String words() {
    return "dispatch (" + id + ")";
  }

  @Override
  String state() {
    return result;
  }

  /** True if a lane worked on the batch, from a known start to a known end. */
  boolean ran() {
    return startNs != NONE && endNs != NONE;
  }

  /** True if its completion is in the log. */
  boolean isAnswered() {
    return completedNs != NONE;
  }

  boolean isDone() {
    return result.equals("done");
  }
}
