package dev.sluice.analytics.statistic;

import java.util.Arrays;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * A number of 32 bits for each row. A row that was never set has the column's usual value; pieces
 * of the column in which all rows have the usual value take no room. Not safe for threads while it
 * is written.
 */
public final class IntColumn {
  private static final int SHIFT = 12;
  private static final int PIECE = 1 << SHIFT;

  private final int usual;
  private int[] @Nullable [] pieces = new int[4][];
  private int size;

  /** An empty column of which rows have the usual value until they are set. */
  public IntColumn(int usual) {
    this.usual = usual;
  }

  /** One more than the highest row that was set. */
  public int size() {
    return size;
  }

  /** The number of a row. */
  public int get(int row) {
    int piece = row >>> SHIFT;
    int[] values = piece < pieces.length ? pieces[piece] : null;
    return values == null ? usual : values[row & (PIECE - 1)];
  }

  /** Sets the number of a row. */
  public void set(int row, int value) {
    size = Math.max(size, row + 1);
    int piece = row >>> SHIFT;
    int[] values = piece < pieces.length ? pieces[piece] : null;
    if (values == null) {
      if (value == usual) {
        return;
      }
      values = newPiece(piece);
    }
    values[row & (PIECE - 1)] = value;
  }

  private int[] newPiece(int piece) {
    if (piece >= pieces.length) {
      pieces = Arrays.copyOf(pieces, Math.max(piece + 1, 2 * pieces.length));
    }
    var values = new int[PIECE];
    if (usual != 0) {
      Arrays.fill(values, usual);
    }
    pieces[piece] = values;
    return values;
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
