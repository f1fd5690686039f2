package dev.sluice.contract;

/** Range checks of record components. */
final class Checks {
  private Checks() {}

  static void atLeast(long least, long value, String name) {
    if (value < least) {
      throw new IllegalArgumentException(name + " (" + value + ") must be at least " + least);
    }
  }
}
