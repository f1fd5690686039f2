package dev.sluice.contract.value;

import org.jspecify.annotations.Nullable;

/**
 * A batch's predicted service time, its upper bounds, and what it was predicted from.
 *
 * @param meanNs mean service time
 * @param source kind of the prediction: {@code published}, {@code published_nearest}, {@code
 *     running_mean}, {@code warm_up}, {@code nearest_samples} or {@code flops}
 * @param busyLanes number of the executor's lanes taken to be busy, the batch's own included; null
 *     in a dispatch before version 2
 * @param modelVersion version of the published table that gave the prediction; null: no table did
 * @param quantileNs upper bound that the service time keeps with the probability {@code
 *     predictor.quantile}; null: unknown
 * @param p95Ns upper bound that the service time keeps with probability 0.95; null: unknown
 * @param p99Ns upper bound that the service time keeps with probability 0.99; null: unknown
 */
public record Prediction(
    long meanNs,
    String source,
    @Nullable Integer busyLanes,
    @Nullable String modelVersion,
    @Nullable Long quantileNs,
    @Nullable Long p95Ns,
    @Nullable Long p99Ns) {
  public Prediction {
    Checks.atLeastOrNull(1, busyLanes, "busyLanes");
  }

  /** A mean without bounds, from no published table. */
  public static Prediction ofMean(long meanNs, String source, int busyLanes) {
    return new Prediction(meanNs, source, busyLanes, null, null, null, null);
  }
}
