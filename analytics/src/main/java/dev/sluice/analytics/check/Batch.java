package dev.sluice.analytics.check;

import java.util.List;

/**
 * A row of dispatches.csv: one attempt to run one batch. Times are nanoseconds since time zero, to
 * the microsecond; durations are exact nanoseconds. An empty cell is {@link Decimal#NONE}.
 */
public final class Batch {
  /** Place of the row in its table, from 0. */
  public final int row;

  public final String where;
  public final String id;
  public final String lane;
  public final List<String> jobIds;
  public final long samples;
  public final long tokens;
  public final long attempt;
  public final String result;
  public final long decidedNs;
  public final long startNs;
  public final long endNs;
  public final long predictedNs;
  public final String source;
  public final String scoreTerms;
  public final String cause;
  public final String workload;
  public final String backend;
  public final String precision;
  public final long serviceNs;
  public final long switchNs;
  public final long emulatedNs;
  public final long completedNs;
  public final long shard;
  public final long quantileNs;
  public final long p95Ns;
  public final long p99Ns;
  public final String modelVersion;
  public final long predictedBusyLanes;
  public final long busyLanes;

  /** Offset of the fact that led to the dispatch, as its id says; −1 if the id says none. */
  public final long offset;

  /** Place among the dispatches of that fact, as its id says; −1 if the id says none. */
  public final long place;

  private final String key;
  private final String executor;

  Batch(Cells cells) {
    row = cells.row();
    where = cells.where();
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
    offset = Decimal.digits(dash < 0 ? id : id.substring(0, dash));
    place = dash < 0 ? -1 : Decimal.digits(id.substring(dash + 1));
    key = shard + "/" + id;
    executor = lane.substring(0, Math.max(0, lane.lastIndexOf('/')));
  }

  /** Shard and dispatch id, since ids are unique only within a shard. */
  public String key() {
    return key;
  }

  /** True if a lane worked on the batch, from a known start to a known end. */
  public boolean ran() {
    return startNs != Decimal.NONE && endNs != Decimal.NONE;
  }

  /** True if its completion is in the log. */
  public boolean isAnswered() {
    return completedNs != Decimal.NONE;
  }

  public boolean isDone() {
    return result.equals("done");
  }

  /** Executor of its lane. */
  public String executor() {
    return executor;
  }
}
