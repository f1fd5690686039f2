package dev.sluice.producer.arrivals;

/** The seeds of repeated runs of one experiment. */
public final class RepeatSeeds {
  private RepeatSeeds() {}

  /**
   * A seed of its own for each repeat: a hash of the experiment's seed and the repeat's number.
   *
   * @param repeat from 1
   */
  public static long of(long seed, int repeat) {
    return RandomStream.of(seed, "repeat-" + repeat).nextLong();
  }
}
