package dev.sluice.analytics.fold;

import dev.sluice.analytics.row.Batches;
import dev.sluice.analytics.row.Jobs;

/** An upper bound that a dispatch's prediction promised, and how batches kept it. */
public enum UpperBound {
  P95("p95", 0.95),
  P99("p99", 0.99);

  private final String text;
  private final double probability;

  UpperBound(String text, double probability) {
    this.text = text;
    this.probability = probability;
  }

  /** The bound as text: p95 or p99. */
  public String text() {
    return text;
  }

  /** Probability with which a batch keeps the bound. */
  public double probability() {
    return probability;
  }

  /** True if the batch was given this bound. */
  public boolean isGiven(Batches batches, int batch) {
    return ns(batches, batch) != Jobs.NONE;
  }

  /** True if a batch took longer than its bound. */
  public boolean isMissed(Batches batches, int batch) {
    return batches.serviceNs(batch) > ns(batches, batch);
  }

  /** The bound that the batch was given; {@link Jobs#NONE}: none. */
  public long ns(Batches batches, int batch) {
    return switch (this) {
      case P95 -> batches.predictedP95Ns(batch);
      case P99 -> batches.predictedP99Ns(batch);
    };
  }
}
