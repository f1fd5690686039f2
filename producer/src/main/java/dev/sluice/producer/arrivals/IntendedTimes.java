package dev.sluice.producer.arrivals;

/**
 * The intended times of one arrival process, rising from time zero. Whole nanoseconds and their
 * fraction are kept apart, so that rounding errors do not add up: before it is rescaled, a time is
 * the true sum of the gaps rounded down, even after millions of fractional gaps.
 */
public final class IntendedTimes {
  private final ArrivalProcess process;
  private final RandomStream random;
  private final RescaledTime rescaled;
  private long wholeNs;
  private double fractionNs;

  /**
   * @param rescaled for these times alone
   */
  public IntendedTimes(ArrivalProcess process, RandomStream random, RescaledTime rescaled) {
    this.process = process;
    this.random = random;
    this.rescaled = rescaled;
  }

  /** Not below the last; {@link RescaledTime#NEVER_NS} if nothing arrives any more. */
  public long nextNs() {
    double aheadNs = fractionNs + process.nextGapNs(random);
    double wholeAheadNs = Math.floor(aheadNs);
    wholeNs += (long) wholeAheadNs;
    fractionNs = aheadNs - wholeAheadNs;
    return rescaled.atNs(wholeNs);
  }
}
