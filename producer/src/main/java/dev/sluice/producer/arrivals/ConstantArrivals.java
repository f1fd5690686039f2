package dev.sluice.producer.arrivals;

/** Arrivals at equal gaps of 1 / rate, the first after one gap. */
final class ConstantArrivals implements ArrivalProcess {
  private final double gapNs;

  ConstantArrivals(double ratePerSecond) {
    gapNs = 1e9 / ratePerSecond;
  }

  @Override
  public double nextGapNs(RandomStream random) {
    return gapNs;
  }
}
