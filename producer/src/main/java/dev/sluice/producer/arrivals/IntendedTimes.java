package dev.sluice.producer.arrivals;

/**
 * The intended times of one arrival process, rising from time zero. Whole nanoseconds and the
 * fraction below one are kept apart, so that rounding does not add up: a time is the true sum of
 * the gaps rounded down, also after millions of gaps that are no whole number.
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

  /** The next intended time; not below the last. */
  public long nextNs() {
    double aheadNs = fractionNs + process.nextGapNs(random);
    double wholeAheadNs = Math.floor(aheadNs);
    wholeNs += (long) wholeAheadNs;
    fractionNs = aheadNs - wholeAheadNs;
    return wholeNs;
  }
}
