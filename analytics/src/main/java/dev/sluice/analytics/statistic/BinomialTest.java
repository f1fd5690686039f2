package dev.sluice.analytics.statistic;

import org.apache.commons.statistics.distribution.BinomialDistribution;

/** How surprising a number of misses is. */
public final class BinomialTest {
  private BinomialTest() {}

  /**
   * Twice the smaller of the probabilities of at most and of at least so many misses, at most 1,
   * where each of count independent trials misses with the same probability.
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
