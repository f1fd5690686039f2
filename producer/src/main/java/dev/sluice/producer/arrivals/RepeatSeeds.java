package dev.sluice.producer.arrivals;

/** The seeds of repeated runs of one experiment. */
public final class RepeatSeeds {
  private RepeatSeeds() {}

  /** Returns the seed of a repeat, from 1: a hash of both. */
  public static long of(long seed, int repeat) {
    return RandomStream.of(seed, "repeat-" + repeat).nextLong();
  }

  /**
   * Returns the seed of what varies in a simulation: a hash of the experiment's seed and of the
   * noise's own, so that each repeat has other noise.
   */
  public static long ofNoise(long seed, long noiseSeed) {
    return RandomStream.of(seed, "noise-" + noiseSeed).nextLong();
  }

  /** Returns whether the second of two settings runs first under a seed: true for half of them. */
  public static boolean swapped(long seed) {
    return (RandomStream.of(seed, "order").nextLong() & 1) == 1;
  }
}
