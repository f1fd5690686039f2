package dev.sluice.scheduling.fact;

import org.jspecify.annotations.Nullable;

/**
 * A predicted service time and where it comes from.
 *
 * @param meanNs at least 1
 * @param busyLanes how many lanes of the executor are taken to be busy, the batch's own included;
 *     at least 1
 * @param modelVersion of the published table that it was looked up in; null: in none
 * @param quantileNs upper bound that the service time keeps with the probability {@link
 *     CoreSettings.Predictor#quantile}; null: not known, as the next two
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

  /** A mean alone. */
  public Prediction(long meanNs, Source source, int busyLanes) {
    this(meanNs, source, busyLanes, null, null, null, null);
  }

  /** Where a prediction comes from, the best first. */
  public enum Source {
    /** The published table, as corrected by completions. */
    PUBLISHED,
    /** The published table, scaled from the most samples that it holds. */
    PUBLISHED_NEAREST,
    RUNNING_MEAN,
    WARM_UP,
    NEAREST_SAMPLES,
    FLOPS;

    /** Whether completions tell how far predictions of this source are off. */
    public boolean learns() {
      return this == PUBLISHED || this == PUBLISHED_NEAREST || this == RUNNING_MEAN;
    }
  }
}
