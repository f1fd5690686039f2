package dev.sluice.executor.network;

import dev.sluice.contract.value.SplitMix64;

/**
 * Uniform floats from a seed by {@link SplitMix64}. Uses integer and exact float arithmetic only,
 * so that values are equal on every machine.
 */
public final class SeededFloats {
  private SeededFloats() {}

  /** Fills {@code values} with independent uniform values in [−halfWidth, halfWidth). */
  public static void fill(long seed, float halfWidth, float[] values) {
    float scale = halfWidth * 0x1p-23f;
    long state = seed;
    for (int i = 0; i < values.length; i++) {
      state += SplitMix64.GAMMA;
      values[i] =
          (SplitMix64.finish(state) >> 40)
              * scale; // a signed 24-bit whole number, exact in a float
    }
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
