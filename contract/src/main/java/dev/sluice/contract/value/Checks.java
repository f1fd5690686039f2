package dev.sluice.contract.value;

public final class Checks {
  private Checks() {}

  public static void atLeast(long least, long value, String name) {
    if (value < least) {
      throw new IllegalArgumentException(name + " (" + value + ") must be at least " + least);
    }
  }
}
