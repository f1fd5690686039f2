package dev.sluice.analytics.row;

import java.util.Arrays;

/** Rows of batches by shard and dispatch id: open addressing, at most half full. */
final class BatchKeys {
  private static final int EMPTY = -1;

  private final BatchColumns columns;
  private int[] rows = filled(64);
  private int count;

  BatchKeys(BatchColumns columns) {
    this.columns = columns;
  }

  private static int[] filled(int length) {
    var rows = new int[length];
    Arrays.fill(rows, EMPTY);
    return rows;
  }

  /** The row of a key; below 0: it has none. */
  int get(int shard, long factOffset, int index) {
    for (int at = slot(shard, factOffset, index); ; at = (at + 1) & (rows.length - 1)) {
      int row = rows[at];
      if (row == EMPTY
          || (columns.factOffset.get(row) == factOffset
              && columns.index.get(row) == index
              && columns.shard.get(row) == shard)) {
        return row;
      }
    }
  }

  /** Enters a row, of which the columns hold the key. */
  void put(int row) {
    if (2 * ++count > rows.length) {
      int[] all = rows;
      rows = filled(2 * all.length);
      for (int old : all) {
        if (old != EMPTY) {
          enter(old);
        }
      }
    }
    enter(row);
  }

  private void enter(int row) {
    int at = slot(columns.shard.get(row), columns.factOffset.get(row), columns.index.get(row));
    while (rows[at] != EMPTY) {
      at = (at + 1) & (rows.length - 1);
    }
    rows[at] = row;
  }

  private int slot(int shard, long factOffset, int index) {
    long mixed = (factOffset * 31 + index) * 31 + shard;
    mixed *= 0x9e3779b97f4a7c15L;
    return (int) (mixed >>> 32) & (rows.length - 1);
  }
}
