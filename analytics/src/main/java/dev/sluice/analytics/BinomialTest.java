package dev.sluice.analytics;

/** How surprising a number of misses is. */
final class BinomialTest {
  private BinomialTest() {}

  /**
   * Twice the smaller of the probabilities of at most and of at least so many misses, at most 1,
   * where each of count independent trials misses with the same probability.
   *
   * @param probability in (0, 1)
   */
  static double twoSided(long misses, long count, double probability) {
    double atMost = 0;
    double atLeast = 0;
    double logPmf = count * Math.log1p(-probability);
    double logOdds = Math.log(probability) - Math.log1p(-probability);
    for (long k = 0; k <= count; k++) {
      double pmf = Math.exp(logPmf);
      atMost += k <= misses ? pmf : 0;
      atLeast += k >= misses ? pmf : 0;
      logPmf += Math.log((double) (count - k) / (k + 1)) + logOdds;
    }
    return Math.min(1, 2 * Math.min(atMost, atLeast));
  }
}
