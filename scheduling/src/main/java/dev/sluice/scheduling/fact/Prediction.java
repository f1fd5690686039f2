package dev.sluice.scheduling.fact;

import org.jspecify.annotations.Nullable;

/**
 * A predicted service time and its source.
 *
 * @param meanNs mean service time; at least 1
 * @param busyLanes assumed number of busy lanes of the executor, the batch's own included; at least
 *     1
 * @param modelVersion version of the published table that it comes from; null: from none
 * @param quantileNs upper bound that the service time keeps with the probability {@link
 *     CoreSettings.Predictor#quantile}; null: not known, likewise the next two
 * @param p95Ns upper bound that holds with probability 0.95
 * @param p99Ns upper bound that holds with probability 0.99
 */
public record Prediction(
    long meanNs,
    Source source,
    int busyLanes,
    @Nullable String modelVersion,
    @Nullable Long quantileNs,
    @Nullable Long p95Ns,
    @Nullable Long p99Ns) {

  /** Makes a prediction of a mean alone, without bounds. */
  public Prediction(long meanNs, Source source, int busyLanes) {
    this(meanNs, source, busyLanes, null, null, null, null);
  }

  /** The sources of predictions, the best first. */
  public enum Source {
    /** The published table, as corrected by completions. */
    PUBLISHED,
    /** The published table, scaled from the most samples that it holds. */
    PUBLISHED_NEAREST,
    RUNNING_MEAN,
    WARM_UP,
    NEAREST_SAMPLES,
    FLOPS;

    /** Returns whether completions correct predictions of this source. */
    public boolean learns() {
      return this == PUBLISHED || this == PUBLISHED_NEAREST || this == RUNNING_MEAN;
    }
  }
}
