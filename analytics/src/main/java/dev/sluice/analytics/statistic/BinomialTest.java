package dev.sluice.analytics.statistic;

import org.apache.commons.statistics.distribution.BinomialDistribution;

/** Test of a number of misses against a promised probability. */
public final class BinomialTest {
  private BinomialTest() {}

  /**
   * Returns the two-sided p-value of a number of misses in independent trials: twice the smaller of
   * the probabilities of at most and of at least that number, but not above 1.
   *
   * @param probability in (0, 1)
   */
  public static double twoSided(long misses, long count, double probability) {
    var distribution = BinomialDistribution.of(Math.toIntExact(count), probability);
    int seen = Math.toIntExact(misses);
    double atMost = distribution.cumulativeProbability(seen);
    double atLeast = distribution.survivalProbability(seen - 1);
    return Math.min(1, 2 * Math.min(atMost, atLeast));
  }
}
