package dev.sluice.analytics.statistic;

import java.util.Comparator;
import java.util.function.IntPredicate;

/** Orders of rows. */
public final class Order {
  private Order() {}

  /** Compares two rows. */
  public interface Comparison {
    int compare(int row, int other);
  }

  /** The rows from 0 to before count for which holds what is asked, rising. */
  public static IntColumn rows(int count, IntPredicate which) {
    var rows = new IntColumn(-1);
    for (int row = 0; row < count; row++) {
      if (which.test(row)) {
        rows.add(row);
      }
    }
    return rows;
  }

  /** The rows in order, equal ones as they stand. */
  public static IntColumn sorted(IntColumn rows, Comparison by) {
    var sorted = new IntColumn(-1);
    Comparator<Integer> byRow = by::compare;
    rows.stream().boxed().sorted(byRow).forEach(sorted::add);
    return sorted;
  }
}
