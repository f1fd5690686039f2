package dev.sluice.producer.arrivals;

import java.util.Arrays;

/** Statistics of gaps, for tests. */
final class Gaps {
  private Gaps() {}

  static double mean(double[] values) {
    return Arrays.stream(values).average().orElseThrow();
  }

  /** Returns standard deviation / mean. */
  static double variation(double[] values) {
    double mean = mean(values);
    double variance =
        Arrays.stream(values).map(v -> (v - mean) * (v - mean)).average().orElseThrow();
    return Math.sqrt(variance) / mean;
  }

  /** Returns the Kolmogorov-Smirnov distance to the exponential distribution of a mean. */
  static double distanceToExponential(double[] gaps, double mean) {
    double[] sorted = gaps.clone();
    Arrays.sort(sorted);
    double largest = 0;
    for (int i = 0; i < sorted.length; i++) {
      double expected = -Math.expm1(-sorted[i] / mean);
      largest = Math.max(largest, expected - (double) i / sorted.length);
      largest = Math.max(largest, (i + 1.0) / sorted.length - expected);
    }
    return largest;
  }
}
