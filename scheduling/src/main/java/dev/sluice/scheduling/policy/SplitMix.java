package dev.sluice.scheduling.policy;

/** Hashing by SplitMix64 (Steele, Lea and Flood, OOPSLA 2014). */
public final class SplitMix {
  private SplitMix() {}

  /** Returns 64 bits that a seed and a number determine. */
  public static long mix(long seed, long number) {
    return mix(mix(seed) + number);
  }

  /** Returns the finalizer of a state after one step. */
  public static long mix(long value) {
    long z = value + 0x9E3779B97F4A7C15L;
    z = (z ^ (z >>> 30)) * 0xBF58476D1CE4E5B9L;
    z = (z ^ (z >>> 27)) * 0x94D049BB133111EBL;
    return z ^ (z >>> 31);
  }
}
