package dev.sluice.analytics.check;

import java.nio.charset.StandardCharsets;

/**
 * A stream of random numbers by its definition: SplitMix64 (Steele, Lea and Flood, OOPSLA 2014)
 * from the state mix(mix(seed + γ) xor h), where h is the FNV-1a hash of the stream's purpose.
 */
final class Draws {
  private static final long GAMMA = 0x9E3779B97F4A7C15L;
  private static final long FNV_BASIS = 0xCBF29CE484222325L;
  private static final long FNV_PRIME = 0x100000001B3L;

  private long state;

  Draws(long seed, String purpose) {
    long hash = FNV_BASIS;
    for (byte b : purpose.getBytes(StandardCharsets.US_ASCII)) {
      hash = (hash ^ b) * FNV_PRIME;
    }
    state = mixed(mixed(seed + GAMMA) ^ hash);
  }

  private long bits() {
    state += GAMMA;
    return mixed(state);
  }

  private static long mixed(long bits) {
    long z = bits;
    z = (z ^ z >>> 30) * 0xBF58476D1CE4E5B9L;
    z = (z ^ z >>> 27) * 0x94D049BB133111EBL;
    return z ^ z >>> 31;
  }

  /** Uniform in (0, 1): the middle of one of 2^52 equal parts. */
  double unit() {
    return ((bits() >>> 12) + 0.5) / (1L << 52);
  }

  /** Uniform in [0, bound): 63 bits modulo bound, drawn again above the last whole multiple. */
  int below(int bound) {
    long drawn = bits() >>> 1;
    while (drawn - drawn % bound > Long.MAX_VALUE - (bound - 1)) {
      drawn = bits() >>> 1;
    }
    return (int) (drawn % bound);
  }

  /** Normal with mean 0 and deviation 1, by Box and Muller, the cosine alone. */
  double normal() {
    double radius = Math.sqrt(-2 * StrictMath.log(unit()));
    return radius * StrictMath.cos(2 * Math.PI * unit());
  }
}
