package dev.sluice.analytics.check;

import dev.sluice.contract.file.UserMistakeException;
import java.util.List;

/**
 * A row of dispatches.csv: one attempt to run one batch. Times are nanoseconds since time zero, to
 * the microsecond; durations are exact nanoseconds. An empty cell is {@link Cells#NONE}.
 */
final class Batch {
  /** Place of the row in its table, from 0. */
  final int row;

  final String where;
  final String id;
  final String lane;
  final List<String> jobIds;
  final long samples;
  final long tokens;
  final long attempt;
  final String result;
  final long decidedNs;
  final long startNs;
  final long endNs;
  final long predictedNs;
  final String source;
  final String scoreTerms;
  final String cause;
  final String workload;
  final String backend;
  final String precision;
  final long serviceNs;
  final long switchNs;
  final long emulatedNs;
  final long completedNs;
  final long shard;
  final long quantileNs;
  final long p95Ns;
  final long p99Ns;
  final String modelVersion;
  final long predictedBusyLanes;
  final long busyLanes;

  /** Offset of the fact that led to the dispatch, as its id says; −1 if the id says none. */
  final long offset;

  /** Place among the dispatches of that fact, as its id says; −1 if the id says none. */
  final long place;

  /** Shard and dispatch id, since ids are unique only within a shard. */
  final String key;

  /** Executor of its lane. */
  final String executor;

  Batch(Cells cells) throws UserMistakeException {
    row = cells.row;
    where = cells.where;
    id = cells.text("dispatch_id");
    lane = cells.name("lane_id");
    jobIds = List.of(cells.text("job_ids").split(" "));
    samples = cells.count("samples");
    tokens = cells.count("tokens");
    attempt = cells.count("attempt");
    result = cells.name("result");
    decidedNs = cells.secondsAsNs("decided_time");
    startNs = cells.secondsAsNs("start_time");
    endNs = cells.secondsAsNs("end_time");
    predictedNs = cells.msAsNs("predicted_service_ms");
    source = cells.name("prediction_source");
    scoreTerms = cells.text("score_terms");
    cause = cells.name("cause");
    workload = cells.name("workload_name");
    backend = cells.name("backend");
    precision = cells.name("precision");
    serviceNs = cells.msAsNs("service_ms");
    switchNs = cells.msAsNs("switch_ms");
    emulatedNs = cells.msAsNs("emulated_service_ms");
    completedNs = cells.secondsAsNs("completed_time");
    shard = cells.count("shard");
    quantileNs = cells.msAsNs("predicted_quantile_ms");
    p95Ns = cells.msAsNs("predicted_p95_ms");
    p99Ns = cells.msAsNs("predicted_p99_ms");
    modelVersion = cells.name("model_version");
    predictedBusyLanes = cells.count("predicted_busy_lanes");
    busyLanes = cells.count("busy_lanes");
    int dash = id.indexOf('-');
    offset = Cells.digits(dash < 0 ? id : id.substring(0, dash));
    place = dash < 0 ? -1 : Cells.digits(id.substring(dash + 1));
    key = shard + "/" + id;
    executor = lane.substring(0, Math.max(0, lane.lastIndexOf('/')));
  }

  /** True if a lane worked on the batch, from a known start to a known end. */
  boolean ran() {
    return startNs != Cells.NONE && endNs != Cells.NONE;
  }

  /** True if its completion is in the log. */
  boolean isAnswered() {
    return completedNs != Cells.NONE;
  }

  boolean isDone() {
    return result.equals("done");
  }
}
