package dev.sluice.producer.arrivals;

/**
 * Poisson arrivals: gaps are independent and exponential, by inversion: −mean × ln(u), u uniform
 * over the open unit interval. Nothing is capped: mean and standard deviation are both 1 / rate.
 * The longest gap that 53 bits can give is 36.7 means.
 */
final class PoissonArrivals implements ArrivalProcess {
  private final double meanGapNs;

  PoissonArrivals(double ratePerSecond) {
    meanGapNs = 1e9 / ratePerSecond;
  }

  @Override
  public double nextGapNs(RandomStream random) {
    return -meanGapNs * StrictMath.log(random.nextOpenUnit());
  }
}
