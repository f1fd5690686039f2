package dev.sluice.analytics.statistic;

import java.util.function.IntPredicate;

/** Orders of rows. */
public final class Order {
  private Order() {}

  /** Compares two rows. */
  public interface Comparison {
    int compare(int row, int other);
  }

  /** The rows from 0 to before count for which holds what is asked, rising. */
  public static IntColumn rows(Space space, int count, IntPredicate which) {
    var rows = new IntColumn(space, -1);
    for (int row = 0; row < count; row++) {
      if (which.test(row)) {
        rows.add(row);
      }
    }
    return rows;
  }

  /**
   * Sorts rows, equal ones in the order in which they stand. Rows in order are left as they are.
   *
   * @param rows the rows, of which nothing is left if they were not in order
   * @return the rows in order
   */
  public static IntColumn sorted(Space space, IntColumn rows, Comparison by) {
    int size = rows.size();
    IntColumn from = rows;
    while (runEnd(from, 0, by) < size) { // merges neighbouring runs, until there is one
      var to = new IntColumn(space, -1);
      int at = 0;
      while (at < size) {
        int middle = runEnd(from, at, by);
        int end = middle == size ? middle : runEnd(from, middle, by);
        merge(from, at, middle, end, to, by);
        at = end;
      }
      from.clear();
      from = to;
    }
    return from;
  }

  private static int runEnd(IntColumn rows, int from, Comparison by) {
    int size = rows.size();
    int at = from + 1;
    while (at < size && by.compare(rows.get(at - 1), rows.get(at)) <= 0) {
      at++;
    }
    return Math.min(at, size);
  }

  private static void merge(
      IntColumn from, int at, int middle, int end, IntColumn to, Comparison by) {
    int left = at;
    int right = middle;
    for (int i = at; i < end; i++) {
      if (left < middle && (right >= end || by.compare(from.get(left), from.get(right)) <= 0)) {
        to.add(from.get(left++));
      } else {
        to.add(from.get(right++));
      }
    }
  }
}
