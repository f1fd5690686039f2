package dev.sluice.executor.network;

/**
 * Uniform floats from a seed by SplitMix64 (Steele, Lea, Flood: Fast splittable pseudorandom number
 * generators, 2014). Uses integer and exact float arithmetic only, so that values are equal on
 * every machine.
 */
public final class SeededFloats {
  private static final long GAMMA = 0x9E3779B97F4A7C15L;

  private SeededFloats() {}

  /** Fills {@code values} with independent uniform values in [−halfWidth, halfWidth). */
  public static void fill(long seed, float halfWidth, float[] values) {
    float scale = halfWidth * 0x1p-23f;
    long state = seed;
    for (int i = 0; i < values.length; i++) {
      state += GAMMA;
      values[i] = (mix(state) >> 40) * scale; // a signed 24-bit whole number, exact in a float
    }
  }

  /** Applies SplitMix64's finalizer: every bit of the result depends on every bit of {@code z}. */
  public static long mix(long z) {
    z = (z ^ (z >>> 30)) * 0xBF58476D1CE4E5B9L;
    z = (z ^ (z >>> 27)) * 0x94D049BB133111EBL;
    return z ^ (z >>> 31);
  }

  /** Returns the 64-bit FNV-1a hash of the text's UTF-16 code units. */
  public static long hash(String text) {
    long hash = 0xCBF29CE484222325L;
    for (int i = 0; i < text.length(); i++) {
      hash = (hash ^ text.charAt(i)) * 0x100000001B3L;
    }
    return hash;
  }
}
