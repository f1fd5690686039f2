package dev.sluice.analytics.statistic;

import java.util.List;
import org.apache.commons.statistics.distribution.TDistribution;

/**
 * The mean of independent values with its two-sided confidence interval by Student's t.
 *
 * @param n number of values
 * @param mean arithmetic mean; NaN without a value
 * @param sd standard deviation, by n − 1; NaN below two values
 * @param halfWidth half the width of the interval; NaN below two values
 */
public record MeanInterval(int n, double mean, double sd, double halfWidth) {
  public static final double CONFIDENCE = 0.95;

  public static MeanInterval of(List<Double> values) {
    return of(values, CONFIDENCE);
  }

  /**
   * Returns the mean of independent values with its interval, by Student's t.
   *
   * @param confidence in (0, 1)
   */
  public static MeanInterval of(List<Double> values, double confidence) {
    int n = values.size();
    double mean = values.stream().mapToDouble(v -> v).average().orElse(Double.NaN);
    if (n < 2) {
      return new MeanInterval(n, mean, Double.NaN, Double.NaN);
    }
    double squares = values.stream().mapToDouble(v -> (v - mean) * (v - mean)).sum();
    double sd = Math.sqrt(squares / (n - 1));
    double t = TDistribution.of(n - 1).inverseCumulativeProbability((1 + confidence) / 2);
    return new MeanInterval(n, mean, sd, t * sd / Math.sqrt(n));
  }

  public double low() {
    return mean - halfWidth;
  }

  public double high() {
    return mean + halfWidth;
  }
}
