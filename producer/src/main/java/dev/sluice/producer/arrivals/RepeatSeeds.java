package dev.sluice.producer.arrivals;

/** The seeds of repeated runs of one experiment. */
public final class RepeatSeeds {
  private RepeatSeeds() {}

  /**
   * Returns the seed of a repeat: a hash of the experiment's seed and the repeat's number.
   *
   * @param repeat number of the repeat, from 1
   */
  public static long of(long seed, int repeat) {
    return RandomStream.of(seed, "repeat-" + repeat).nextLong();
  }
}
