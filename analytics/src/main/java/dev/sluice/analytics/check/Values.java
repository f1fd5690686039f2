package dev.sluice.analytics.check;

import java.util.Arrays;
import java.util.Collection;
import java.util.function.ToDoubleFunction;
import java.util.function.ToLongFunction;

/** Percentiles and means, by their definitions. */
final class Values {
  private Values() {}

  static <T> long[] sorted(Collection<T> rows, ToLongFunction<T> value) {
    return rows.stream().mapToLong(value).sorted().toArray();
  }

  static <T> double[] sortedReal(Collection<T> rows, ToDoubleFunction<T> value) {
    return rows.stream().mapToDouble(value).sorted().toArray();
  }

  /**
   * The smallest value that at least a percentage of all is not above, in ms; infinite where it is
   * one of those that are not in the array.
   */
  static double rankMs(long[] sortedNs, long count, int percent) {
    if (count == 0) {
      return Double.NaN;
    }
    long rank = -Math.floorDiv(-percent * count, 100);
    return rank > sortedNs.length ? Double.POSITIVE_INFINITY : sortedNs[(int) rank - 1] / 1e6;
  }

  static double rankMs(long[] sortedNs, int percent) {
    return rankMs(sortedNs, sortedNs.length, percent);
  }

  /** Median by nearest rank; NaN without a value. */
  static double median(double[] sorted) {
    return sorted.length == 0 ? Double.NaN : sorted[(sorted.length - 1) / 2];
  }

  static double mean(double[] values) {
    return values.length == 0 ? Double.NaN : Arrays.stream(values).sum() / values.length;
  }

  /** Mean in ms of a sum in ns; NaN without a value. */
  static double meanMs(long[] ns) {
    return ns.length == 0 ? Double.NaN : Arrays.stream(ns).sum() / 1e6 / ns.length;
  }
}
