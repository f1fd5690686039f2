package dev.sluice.analytics.statistic;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * A number of 64 bits for each row. A row that was never set has the column's usual value; pieces
 * of the column in which all rows have the usual value take no room. Not safe for threads while it
 * is written.
 */
public final class LongColumn {
  private static final int SHIFT = 12;
  private static final int PIECE = 1 << SHIFT;

  private final long usual;
  private long[] @Nullable [] pieces = new long[4][];
  private int size;

  /** An empty column of which rows have the usual value until they are set. */
  public LongColumn(long usual) {
    this.usual = usual;
  }

  /** One more than the highest row that was set. */
  public int size() {
    return size;
  }

  /** The number of a row. */
  public long get(int row) {
    int piece = row >>> SHIFT;
    long[] values = piece < pieces.length ? pieces[piece] : null;
    return values == null ? usual : values[row & (PIECE - 1)];
  }

  /** Sets the number of a row. */
  public void set(int row, long value) {
    size = Math.max(size, row + 1);
    int piece = row >>> SHIFT;
    long[] values = piece < pieces.length ? pieces[piece] : null;
    if (values == null) {
      if (value == usual) {
        return;
      }
      values = newPiece(piece);
    }
    values[row & (PIECE - 1)] = value;
  }

  private long[] newPiece(int piece) {
    if (piece >= pieces.length) {
      pieces = Arrays.copyOf(pieces, Math.max(piece + 1, 2 * pieces.length));
    }
    var values = new long[PIECE];
    if (usual != 0) {
      Arrays.fill(values, usual);
    }
    pieces[piece] = values;
    return values;
  }

  /** Adds a row behind the last one. */
  public void add(long value) {
    set(size, value);
  }
}
