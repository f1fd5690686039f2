package dev.sluice.analytics.column;

/** Orders of rows. */
public final class Order {
  private Order() {}

  /** Compares two rows. */
  public interface Comparison {
    int compare(int row, int other);
  }

  /**
   * Sorts rows, equal ones in the order in which they stand. Rows in order are left as they are.
   *
   * @param rows the rows, which may be changed
   * @return the rows in order
   */
  public static int[] sorted(int[] rows, Comparison by) {
    int[] from = rows;
    int[] to = null;
    boolean again = true;
    while (again) { // merges neighbouring runs, until there is one
      again = false;
      int at = 0;
      while (at < from.length) {
        int middle = runEnd(from, at, by);
        if (middle == from.length && at == 0) {
          return from;
        }
        if (to == null) {
          to = new int[from.length];
        }
        int end = middle == from.length ? middle : runEnd(from, middle, by);
        merge(from, at, middle, end, to, by);
        at = end;
        again = true;
      }
      if (to == null) {
        return from;
      }
      int[] swap = from;
      from = to;
      to = swap;
    }
    return from;
  }

  /** The rows from 0 to before count for which holds what is asked. */
  public static int[] rows(int count, java.util.function.IntPredicate which) {
    int size = 0;
    for (int row = 0; row < count; row++) {
      size += which.test(row) ? 1 : 0;
    }
    var rows = new int[size];
    int at = 0;
    for (int row = 0; row < count; row++) {
      if (which.test(row)) {
        rows[at++] = row;
      }
    }
    return rows;
  }

  private static int runEnd(int[] rows, int from, Comparison by) {
    int at = from + 1;
    while (at < rows.length && by.compare(rows[at - 1], rows[at]) <= 0) {
      at++;
    }
    return at;
  }

  private static void merge(int[] from, int at, int middle, int end, int[] to, Comparison by) {
    int left = at;
    int right = middle;
    for (int i = at; i < end; i++) {
      if (left < middle && (right >= end || by.compare(from[left], from[right]) <= 0)) {
        to[i] = from[left++];
      } else {
        to[i] = from[right++];
      }
    }
  }
}
