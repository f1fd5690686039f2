package dev.sluice.analytics.live;

import dev.sluice.contract.value.ModelKey;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * An attempt to run a batch in a finished run, as its row in dispatches.csv has it: times are
 * rounded to microseconds, durations are exact.
 *
 * @param dispatchId id within the shard, as text
 * @param laneId executor and (first) lane, separated by a slash
 * @param times times of the attempt, in their order
 * @param predicted service time predicted at the decision, and its upper bounds
 * @param serviceNs service time; null: the batch never ran
 * @param scoreTerms makes {@code name=value} by name, separated by semicolons; empty: no score
 */
record RunBatch(
    int shard,
    Object dispatchId,
    String laneId,
    Jobs jobs,
    int tokens,
    int attempt,
    String result,
    Times times,
    ModelKey model,
    Predicted predicted,
    @Nullable Long serviceNs,
    Supplier<String> scoreTerms) {

  /**
   * Jobs of a batch.
   *
   * @param first id of the chosen job
   */
  record Jobs(String first, int count, int samples) {}

  /**
   * Times of an attempt; each but the decision is null if it never came.
   *
   * @param decidedNs log time of the decision
   * @param startedNs start on the lane
   * @param endedNs end on the lane
   * @param completedNs the broker's append of the completion, in whole milliseconds
   */
  record Times(
      long decidedNs,
      @Nullable Long startedNs,
      @Nullable Long endedNs,
      @Nullable Long completedNs) {}

  /**
   * Predicted service time of a batch.
   *
   * @param meanNs prediction; 0: none
   * @param p95Ns upper bound with the probability 0.95; null: unknown
   * @param p99Ns upper bound with the probability 0.99; null: unknown
   */
  record Predicted(long meanNs, @Nullable Long p95Ns, @Nullable Long p99Ns) {}

  /** The executor that the lane belongs to. */
  String executor() {
    return laneId.substring(0, laneId.lastIndexOf('/'));
  }

  /** Number of the lane within its executor. */
  int lane() {
    return Integer.parseInt(laneId.substring(laneId.lastIndexOf('/') + 1));
  }

  /** Id of the batch, unique in the run. */
  String id() {
    return shard + ":" + dispatchId;
  }
}
