package dev.sluice.executor.profile;

/** Seeds made from one seed. */
public final class Seeds {
  private Seeds() {}

  /**
   * Returns the result of a step of SplitMix64 (Steele, Lea, Flood, 2014), different for different
   * indexes.
   */
  public static long derived(long seed, long index) {
    long z = seed + (index + 1) * 0x9e3779b97f4a7c15L;
    z = (z ^ (z >>> 30)) * 0xbf58476d1ce4e5b9L;
    z = (z ^ (z >>> 27)) * 0x94d049bb133111ebL;
    return z ^ (z >>> 31);
  }
}
