package dev.sluice.analytics.statistic;

import java.util.Arrays;
import java.util.stream.IntStream;

/**
 * A number of 32 bits for each row. A row that was never set has the column's usual value; a column
 * without any other takes no room. Not safe for threads while it is written.
 */
public final class IntColumn {
  private static final int ROWS_MIN = 64;

  private final int usual;
  private int[] values = {};
  private int size;

  public IntColumn(int usual) {
    this.usual = usual;
  }

  /** One more than the highest row that was set. */
  public int size() {
    return size;
  }

  public int get(int row) {
    return row < values.length ? values[row] : usual;
  }

  public void set(int row, int value) {
    size = Math.max(size, row + 1);
    int known = values.length;
    if (row < known) {
      values[row] = value;
    } else if (value != usual) {
      values = Arrays.copyOf(values, Math.max(row + 1, ROWS_MIN + known + known / 2));
      Arrays.fill(values, known, values.length, usual);
      values[row] = value;
    }
  }

  /** Adds a row behind the last one. */
  public void add(int value) {
    set(size, value);
  }

  /** The numbers of all rows up to the size. */
  public IntStream stream() {
    return IntStream.range(0, size).map(this::get);
  }
}
