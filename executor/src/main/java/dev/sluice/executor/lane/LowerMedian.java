package dev.sluice.executor.lane;

import java.util.List;

/**
 * The lower of the two middle values where their number is even: a value that occurred, so that a
 * published warm-up time is one that was measured.
 */
final class LowerMedian {
  private LowerMedian() {}

  static <T extends Comparable<T>> T of(List<T> values) {
    return values.stream().sorted().toList().get((values.size() - 1) / 2);
  }
}
