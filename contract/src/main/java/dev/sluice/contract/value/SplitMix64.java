package dev.sluice.contract.value;

/**
 * Hashing by SplitMix64 (Steele, Lea and Flood: Fast splittable pseudorandom number generators,
 * OOPSLA 2014).
 */
public final class SplitMix64 {
  /** What a step adds to the state. */
  public static final long GAMMA = 0x9E3779B97F4A7C15L;

  private SplitMix64() {}

  public static long mix(long state) {
    return finish(state + GAMMA);
  }

  public static long mix(long seed, long number) {
    return mix(mix(seed) + number);
  }

  /** Returns the value of step {@code index}, from 0, of the generator that begins with a seed. */
  public static long derived(long seed, long index) {
    return finish(seed + (index + 1) * GAMMA);
  }

  /** Applies the finalizer: every bit of the result depends on every bit of {@code z}. */
  public static long finish(long z) {
    z = (z ^ (z >>> 30)) * 0xBF58476D1CE4E5B9L;
    z = (z ^ (z >>> 27)) * 0x94D049BB133111EBL;
    return z ^ (z >>> 31);
  }
}
