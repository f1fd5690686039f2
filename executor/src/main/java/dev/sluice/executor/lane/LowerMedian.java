package dev.sluice.executor.lane;

import java.util.List;

/**
 * The median, or the lower of the two middle values if the number of values is even. It is always
 * one of the values, so that a published warm-up time is one that was measured.
 */
public final class LowerMedian {
  private LowerMedian() {}

  /** Returns the lower median of at least one value. */
  public static <T extends Comparable<T>> T of(List<T> values) {
    return values.stream().sorted().toList().get((values.size() - 1) / 2);
  }
}
