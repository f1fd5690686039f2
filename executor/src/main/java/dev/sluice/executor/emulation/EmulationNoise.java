package dev.sluice.executor.emulation;

import dev.sluice.contract.value.SplitMix64;

/**
 * The factor by which one emulated batch takes longer or shorter than the mean. It is lognormal
 * with mean 1, and depends on seed, first job and attempt alone, so that it is equal under every
 * policy.
 */
final class EmulationNoise {
  private static final long PURPOSE = 0x656d756c6174696fL;

  private EmulationNoise() {}

  /**
   * Returns exp(spread × z − spread² / 2), where z is standard normal by Box and Muller (1958).
   *
   * @param spread standard deviation of the factor's natural logarithm; 0 gives 1
   */
  static double factor(long seed, String firstJobId, int attempt, double spread) {
    return spread == 0 ? 1 : factor(normal(seed, firstJobId, attempt), spread);
  }

  /** Returns the factor of a batch by its standard normal number. */
  static double factor(double normal, double spread) {
    return StrictMath.exp(spread * normal - spread * spread / 2);
  }

  /** Returns the standard normal number that the factor of a batch is made of. */
  static double normal(long seed, String firstJobId, int attempt) {
    long hash = hash(seed, firstJobId, attempt);
    double radius = StrictMath.sqrt(-2 * StrictMath.log(unit(hash)));
    return radius * StrictMath.cos(2 * StrictMath.PI * unit(SplitMix64.mix(hash)));
  }

  /** Returns a number in (0, 1] that depends on the batch alone, not on the policy. */
  static double uniform(long seed, String firstJobId, int attempt) {
    return unit(hash(seed, firstJobId, attempt));
  }

  private static long hash(long seed, String firstJobId, int attempt) {
    long hash = SplitMix64.mix(seed ^ PURPOSE);
    for (int i = 0; i < firstJobId.length(); i++) {
      hash = SplitMix64.mix(hash + firstJobId.charAt(i));
    }
    return SplitMix64.mix(hash + attempt);
  }

  /** Returns a uniform number in (0, 1] from a hash. */
  private static double unit(long hash) {
    return ((hash >>> 11) + 1) * 0x1.0p-53;
  }
}
