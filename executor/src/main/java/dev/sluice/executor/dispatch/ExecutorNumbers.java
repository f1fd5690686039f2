package dev.sluice.executor.dispatch;

import java.util.HashMap;
import java.util.Map;
import java.util.stream.Stream;

/**
 * Counts of an executor's work since it joined and of the dispatches that its lanes hold, for a
 * person or a gauge that looks from time to time.
 *
 * @param lanes number of lanes
 * @param lanesBusy number of lanes that hold at least one dispatch
 * @param held number of dispatches that lanes hold, running or waiting
 * @param done number of batches that ended without a failure
 * @param failed number of batches whose inference failed
 * @param refusedByCause number of refused dispatches by the cause that their completion names,
 *     which is the text of a {@link dev.sluice.contract.value.Reason}
 * @param serviceNsSum total service time of batches done and failed
 */
public record ExecutorNumbers(
    int lanes,
    int lanesBusy,
    int held,
    long done,
    long failed,
    Map<String, Long> refusedByCause,
    long serviceNsSum) {
  public ExecutorNumbers {
    refusedByCause = Map.copyOf(refusedByCause);
  }

  /** The numbers of several executors together. */
  public static ExecutorNumbers sum(Stream<ExecutorNumbers> all) {
    return all.reduce(new ExecutorNumbers(0, 0, 0, 0, 0, Map.of(), 0), ExecutorNumbers::plus);
  }

  private ExecutorNumbers plus(ExecutorNumbers other) {
    Map<String, Long> refused = new HashMap<>(refusedByCause);
    other.refusedByCause.forEach((cause, count) -> refused.merge(cause, count, Long::sum));
    return new ExecutorNumbers(
        lanes + other.lanes,
        lanesBusy + other.lanesBusy,
        held + other.held,
        done + other.done,
        failed + other.failed,
        refused,
        serviceNsSum + other.serviceNsSum);
  }
}
