package dev.sluice.executor.latency;

import dev.sluice.executor.profile.LatencyKey;

/** An estimate of how long a batch takes, fitted to rows. */
public interface Estimator {
  /** Returns whether the estimator has an answer for a key. */
  boolean answers(LatencyKey key);

  /**
   * Returns the natural logarithm of the typical service time in nanoseconds; valid only if the
   * estimator answers the key.
   */
  double lnNs(LatencyKey key);
}
