package dev.sluice.analytics.statistic;

import java.util.Arrays;

/**
 * A number of 64 bits for each row. A row that was never set has the column's usual value; a column
 * without any other takes no room. Not safe for threads while it is written.
 */
public final class LongColumn {
  private static final int ROWS_MIN = 64;

  private final long usual;
  private long[] values = {};
  private int size;

  public LongColumn(long usual) {
    this.usual = usual;
  }

  /** One more than the highest row that was set. */
  public int size() {
    return size;
  }

  public long get(int row) {
    return row < values.length ? values[row] : usual;
  }

  public void set(int row, long value) {
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
  public void add(long value) {
    set(size, value);
  }
}
