package dev.sluice.producer.arrivals;

import dev.sluice.contract.value.SplitMix64;
import java.nio.charset.StandardCharsets;

/**
 * Random numbers for one purpose, by {@link SplitMix64}, so that no machine and no Java release
 * changes a request list. Not thread-safe.
 */
public final class RandomStream {
  private long state;

  /** Starts from a state, as {@link java.util.SplittableRandom} does. */
  RandomStream(long state) {
    this.state = state;
  }

  /**
   * Returns the run's stream for one purpose. A consumer that draws more numbers does not change
   * the streams of other purposes. The state is finish(mix(seed) xor the FNV-1a hash of the
   * purpose).
   */
  public static RandomStream of(long seed, String purpose) {
    long hash = 0xCBF29CE484222325L;
    for (byte b : purpose.getBytes(StandardCharsets.UTF_8)) {
      hash = (hash ^ (b & 0xFF)) * 0x100000001B3L;
    }
    return new RandomStream(SplitMix64.finish(SplitMix64.mix(seed) ^ hash));
  }

  long nextLong() {
    long drawn = SplitMix64.mix(state);
    state += SplitMix64.GAMMA;
    return drawn;
  }

  /** Uniform in the open interval (0, 1): an odd multiple of 2^-53. */
  public double nextOpenUnit() {
    return ((nextLong() >>> 12) + 0.5) * 0x1p-52;
  }

  /** Uniform in [0, bound): draws above the last whole multiple are repeated. */
  public int nextBelow(int bound) {
    while (true) {
      long bits = nextLong() >>> 1;
      long value = bits % bound;
      if (bits - value <= Long.MAX_VALUE - (bound - 1)) {
        return (int) value;
      }
    }
  }
}
