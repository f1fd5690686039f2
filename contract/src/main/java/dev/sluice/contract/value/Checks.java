package dev.sluice.contract.value;

import org.jspecify.annotations.Nullable;

public final class Checks {
  private Checks() {}

  public static void atLeast(long least, long value, String name) {
    if (value < least) {
      throw new IllegalArgumentException(name + " (" + value + ") must be at least " + least);
    }
  }

  public static void atLeastOrNull(long least, @Nullable Number value, String name) {
    if (value != null) {
      atLeast(least, value.longValue(), name);
    }
  }
}
