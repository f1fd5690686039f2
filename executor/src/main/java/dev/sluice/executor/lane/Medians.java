package dev.sluice.executor.lane;

import java.util.List;

/** The median, nearest rank: a value that occurred. */
final class Medians {
  private Medians() {}

  public static <T extends Comparable<T>> T of(List<T> values) {
    return values.stream().sorted().toList().get((values.size() - 1) / 2);
  }
}
