package dev.sluice.executor.estimator;

import dev.sluice.executor.profile.LatencyKey;

/** One way to say how long a batch takes, fitted to rows. */
public interface Estimator {
  /** Whether it has an answer for that key. */
  boolean answers(LatencyKey key);

  /**
   * Natural logarithm of the typical service time in nanoseconds; of use only if it answers the
   * key.
   */
  double lnNs(LatencyKey key);
}
