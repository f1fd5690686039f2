package dev.sluice.producer.arrivals;

/**
 * The intended times of one arrival process, rising from time zero. Whole nanoseconds and their
 * fraction are kept apart, so that rounding errors do not add up: a time is the true sum of the
 * gaps rounded down, even after millions of fractional gaps.
 */
public final class IntendedTimes {
  private final ArrivalProcess process;
  private final RandomStream random;
  private long wholeNs;
  private double fractionNs;

  public IntendedTimes(ArrivalProcess process, RandomStream random) {
    this.process = process;
    this.random = random;
  }

  /** Returns the next intended time, which is not below the last one. */
  public long nextNs() {
    double aheadNs = fractionNs + process.nextGapNs(random);
    double wholeAheadNs = Math.floor(aheadNs);
    wholeNs += (long) wholeAheadNs;
    fractionNs = aheadNs - wholeAheadNs;
    return wholeNs;
  }
}
