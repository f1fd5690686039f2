package dev.sluice.analytics.statistic;

import java.util.List;
import org.apache.commons.statistics.distribution.ChiSquaredDistribution;
import org.apache.commons.statistics.distribution.NormalDistribution;
import org.apache.commons.statistics.distribution.TDistribution;

/**
 * Student's paired t test: the mean of independent differences, its interval of 95 %, and how
 * probable so great a mean would be without any true difference.
 *
 * @param interval mean of the differences with its interval
 * @param p two-sided probability of such a mean, or a greater one, if the true one were 0; 1 if all
 *     differences are 0, NaN below two differences
 */
public record PairedDifference(MeanInterval interval, double p) {
  /** Probability with which a detectable difference is found. */
  public static final double POWER = 0.8;

  /** Number of steps of the integral over the sample's standard deviation. */
  private static final int STEPS = 400;

  private static final double PRECISION = 1e-9;

  public static PairedDifference of(List<Double> differences) {
    MeanInterval interval = MeanInterval.of(differences);
    if (!interval.hasEnds()) {
      return new PairedDifference(interval, Double.NaN);
    }
    if (interval.mean() == 0) {
      return new PairedDifference(interval, 1);
    }
    int n = interval.n();
    double t = Math.abs(interval.mean()) / (interval.sd() / Math.sqrt(n)); // infinite if sd is 0
    return new PairedDifference(interval, 2 * TDistribution.of(n - 1).survivalProbability(t));
  }

  /**
   * Returns the true difference that four of five such tests would find, if the differences vary as
   * these do.
   *
   * @param level probability of the test to find a difference where none is, in (0, 1)
   * @return above 0; 0 if all differences are equal, NaN below two
   */
  public double detectable(double level) {
    return interval.sd() * detectableEffect(interval.n(), level);
  }

  /**
   * Returns the true mean, in standard deviations, that a two-sided one-sample t test finds with
   * the probability {@value #POWER}.
   *
   * @param n number of values
   * @return NaN below two values
   */
  static double detectableEffect(int n, double level) {
    if (n < 2) {
      return Double.NaN;
    }
    double[] needed = needed(n, level);
    double low = 0;
    double high = 1;
    while (power(n, high, needed) < POWER) {
      high *= 2;
    }
    while (high - low > PRECISION * high) {
      double middle = (low + high) / 2;
      if (power(n, middle, needed) < POWER) {
        low = middle;
      } else {
        high = middle;
      }
    }
    return high;
  }

  /**
   * Means, in true standard errors, from which the test finds a difference: t S for S, the sample's
   * standard deviation over the true one, at the middle of each step of its distribution.
   */
  private static double[] needed(int n, double level) {
    double critical = TDistribution.of(n - 1).inverseSurvivalProbability(level / 2);
    var squares = ChiSquaredDistribution.of(n - 1);
    var needed = new double[STEPS];
    for (int i = 0; i < STEPS; i++) {
      double square = squares.inverseCumulativeProbability((i + 0.5) / STEPS);
      needed[i] = critical * Math.sqrt(square / (n - 1));
    }
    return needed;
  }

  /**
   * The power of the test: P(|T| > t) for noncentral T, which is P(|Z + effect √n| > t S) averaged
   * over S by the midpoint rule on its quantiles.
   */
  private static double power(int n, double effect, double[] needed) {
    var normal = NormalDistribution.of(0, 1);
    double shift = effect * Math.sqrt(n);
    double sum = 0;
    for (double mean : needed) {
      sum += normal.survivalProbability(mean - shift);
      sum += normal.cumulativeProbability(-mean - shift);
    }
    return sum / needed.length;
  }
}
