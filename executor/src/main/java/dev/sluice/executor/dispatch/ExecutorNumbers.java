package dev.sluice.executor.dispatch;

import java.util.Map;

/**
 * What an executor has done since it joined, and what it is at, for a person or a gauge that looks
 * now and then.
 *
 * @param lanes how many it has
 * @param lanesBusy how many of them hold at least one dispatch
 * @param held dispatches that its lanes hold, running or about to
 * @param done batches that ended so
 * @param failed batches whose inference failed
 * @param refusedByCause refused dispatches by the cause that their completion names, the text of a
 *     {@link dev.sluice.contract.value.Reason}
 * @param serviceNsSum service time of the batches done and failed
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
}
