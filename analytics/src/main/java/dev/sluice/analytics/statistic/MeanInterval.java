package dev.sluice.analytics.statistic;

import java.util.List;
import org.apache.commons.statistics.distribution.TDistribution;

/**
 * The mean of independent values with its two-sided confidence interval by Student's t.
 *
 * <p>Where values have bounds, the interval is made for a transform of the mean that has none, by
 * the delta method, and transformed back, so that it holds the mean and never leaves what is
 * possible: ln(mean) for values from 0, ln(mean / (1 − mean)) for shares, and the latter of (mean +
 * 1) / 2, which is Fisher's z, for correlations. With e = t × standard error and w = exp(e / mean)
 * or exp(e / (mean × (1 − mean))) the ends are mean / w and mean × w, or mean / (mean + (1 − mean)
 * × w) and mean / (mean + (1 − mean) / w): W. Q. Meeker and L. A. Escobar, Statistical Methods for
 * Reliability Data, Wiley 1998, with Student's t in place of the normal quantile. A mean on a bound
 * has the bound alone as its interval: all its values are equal.
 *
 * @param n number of values
 * @param mean arithmetic mean; NaN without a value
 * @param sd standard deviation, by n − 1; NaN below two values
 * @param low lower end; NaN below two values
 * @param high upper end; NaN below two values
 */
public record MeanInterval(int n, double mean, double sd, double low, double high) {
  public static final double CONFIDENCE = 0.95;

  public static MeanInterval of(List<Double> values) {
    return of(values, CONFIDENCE, Bounds.NONE);
  }

  public static MeanInterval of(List<Double> values, Bounds bounds) {
    return of(values, CONFIDENCE, bounds);
  }

  /**
   * Returns the mean of independent values with its interval.
   *
   * @param confidence in (0, 1)
   */
  public static MeanInterval of(List<Double> values, double confidence, Bounds bounds) {
    int n = values.size();
    double mean = values.stream().mapToDouble(v -> v).average().orElse(Double.NaN);
    if (n < 2) {
      return new MeanInterval(n, mean, Double.NaN, Double.NaN, Double.NaN);
    }
    double squares = values.stream().mapToDouble(v -> (v - mean) * (v - mean)).sum();
    double sd = Math.sqrt(squares / (n - 1));
    double t = TDistribution.of(n - 1).inverseCumulativeProbability((1 + confidence) / 2);
    double half = t * sd / Math.sqrt(n);
    return switch (bounds) {
      case NONE -> new MeanInterval(n, mean, sd, mean - half, mean + half);
      case FROM_ZERO -> {
        double w = mean > 0 ? Math.exp(half / mean) : 1;
        yield new MeanInterval(n, mean, sd, mean / w, mean * w);
      }
      case SHARE -> new MeanInterval(n, mean, sd, ofShare(mean, -half), ofShare(mean, half));
      case CORRELATION -> {
        double share = (mean + 1) / 2;
        yield new MeanInterval(
            n, mean, sd, 2 * ofShare(share, -half / 2) - 1, 2 * ofShare(share, half / 2) - 1);
      }
    };
  }

  /** The end of a share's interval on one side. */
  private static double ofShare(double share, double half) {
    if (!(share > 0 && share < 1)) {
      return share;
    }
    double w = Math.exp(half / (share * (1 - share)));
    return Double.isInfinite(w) ? 1 : share * w / (share * w + 1 - share);
  }

  /** True if there is an interval: there are two values or more. */
  public boolean hasEnds() {
    return n > 1;
  }

  /** Half the width of the interval, which of values without bounds lies evenly around the mean. */
  public double halfWidth() {
    return (high - low) / 2;
  }
}
