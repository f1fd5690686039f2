package dev.sluice.analytics.row;

import dev.sluice.contract.file.UserMistakeException;
import dev.sluice.contract.value.DispatchId;
import dev.sluice.contract.value.ModelKey;
import java.util.function.Supplier;

/**
 * An attempt to run a batch in a finished run, as its row in dispatches.csv has it: times are
 * rounded to microseconds, durations are exact. A time that never came, and a duration that is
 * unknown, is {@link Jobs#NONE}; a batch that is done has all its times.
 *
 * @param dispatchId id within the shard
 * @param laneId executor and (first) lane, separated by a slash
 * @param times times of the attempt, in their order
 * @param predicted service time predicted at the decision, and its upper bounds
 * @param serviceNs service time
 * @param workNs service time that an emulated lane meant to take; none on real lanes
 * @param busyLanes lanes that ran a batch when this one began, its own included; −1: unknown
 * @param scoreTerms makes {@code name=value} by name, separated by semicolons; empty: no score
 */
public record FinishedBatch(
    int shard,
    DispatchId dispatchId,
    String laneId,
    Members jobs,
    int tokens,
    int attempt,
    String result,
    Times times,
    ModelKey model,
    Predicted predicted,
    long serviceNs,
    long workNs,
    int busyLanes,
    Supplier<String> scoreTerms) {

  /** Jobs of a batch, with the id of the chosen one. */
  public record Members(String first, int count, int samples) {}

  /**
   * Times of an attempt, in their order.
   *
   * @param decidedNs log time of the fact that led to the decision
   * @param startedNs start on the lane
   * @param endedNs end on the lane
   * @param completedNs the broker's append of the completion, in whole milliseconds
   */
  public record Times(long decidedNs, long startedNs, long endedNs, long completedNs) {
    /** Tells whether the batch ran, from a known start to a known end. */
    public boolean ran() {
      return startedNs != Jobs.NONE && endedNs != Jobs.NONE;
    }
  }

  /** Predicted service time, 0 if there is none, and its upper bounds by probability. */
  public record Predicted(long meanNs, long p95Ns, long p99Ns) {}

  /** The attempt in a row of dispatches.csv. */
  public static FinishedBatch of(TableRow row) throws UserMistakeException {
    String jobIds = row.text("job_ids");
    int end = jobIds.indexOf(' ');
    String scoreTerms = row.text("score_terms");
    return new FinishedBatch(
        row.whole("shard"),
        DispatchId.parse(row.text("dispatch_id")),
        row.name("lane_id"),
        new Members(
            end < 0 ? jobIds : jobIds.substring(0, end),
            (int) jobIds.chars().filter(c -> c == ' ').count() + 1,
            row.whole("samples")),
        row.whole("tokens"),
        row.whole("attempt"),
        row.name("result"),
        new Times(
            row.secondsAsNs("decided_time"),
            row.secondsAsNs("start_time", Jobs.NONE),
            row.secondsAsNs("end_time", Jobs.NONE),
            row.secondsAsNs("completed_time", Jobs.NONE)),
        new ModelKey(row.name("workload_name"), row.name("backend"), row.name("precision")),
        new Predicted(
            row.msAsNs("predicted_service_ms"),
            bound(row, "predicted_p95_ms"),
            bound(row, "predicted_p99_ms")),
        row.msAsNs("service_ms", Jobs.NONE),
        row.msAsNs("emulated_service_ms", Jobs.NONE),
        row.has("busy_lanes") ? row.whole("busy_lanes") : -1,
        () -> scoreTerms);
  }

  /** A bound of a prediction: earlier versions knew none. */
  private static long bound(TableRow row, String column) throws UserMistakeException {
    return row.has(column) ? row.msAsNs(column) : Jobs.NONE;
  }

  /** The executor that the lane belongs to. */
  public String executorId() {
    return laneId.substring(0, laneId.lastIndexOf('/'));
  }

  /** Number of the lane within its executor. */
  public int lane() {
    return Integer.parseInt(laneId.substring(laneId.lastIndexOf('/') + 1));
  }

  /** Id of the batch, unique in the run. */
  public String id() {
    return shard + ":" + dispatchId;
  }

  public long startedNs() {
    return times.startedNs();
  }

  public long endedNs() {
    return times.endedNs();
  }
}
