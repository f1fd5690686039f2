package dev.sluice.analytics.statistic;

import java.nio.IntBuffer;
import java.util.Arrays;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * A number of 32 bits for each row. A row that was never set has the column's usual value; pieces
 * of the column in which all rows have it take no room. Not safe for threads while it is written.
 */
public final class IntColumn {
  private static final int PIECE = Space.PIECE;
  private static final int SHIFT = Space.SHIFT;
  private static final int FIRST = 64;

  private final Space space;
  private final int usual;
  private int[] @Nullable [] onHeap = new int[0][];
  private @Nullable IntBuffer[] inFile = new IntBuffer[0];

  /** Number of rows from the first on that stand on the heap without a gap. */
  private int rowsOnHeap;

  private int size;

  /** An empty column of which rows have the usual value until they are set. */
  public IntColumn(Space space, int usual) {
    this.space = space;
    this.usual = usual;
  }

  /** One more than the highest row that was set to another value than the usual one. */
  public int size() {
    return size;
  }

  /** The number of a row. Short enough for the quick compiler to write it into its callers. */
  public int get(int row) {
    if (row < rowsOnHeap) {
      return onHeap[row >>> SHIFT][row & (PIECE - 1)];
    }
    return behindHeap(row);
  }

  private int behindHeap(int row) {
    int piece = row >>> SHIFT;
    if (piece >= onHeap.length) {
      return usual;
    }
    int at = row & (PIECE - 1);
    int[] values = onHeap[piece];
    if (values != null) {
      return at < values.length ? values[at] : usual;
    }
    IntBuffer mapped = inFile[piece];
    return mapped == null ? usual : mapped.get(at);
  }

  /** Sets the number of a row. */
  public void set(int row, int value) {
    if (row < rowsOnHeap) {
      onHeap[row >>> SHIFT][row & (PIECE - 1)] = value;
      size = Math.max(size, row + 1);
    } else {
      setBehindHeap(row, value);
    }
  }

  private void setBehindHeap(int row, int value) {
    int piece = row >>> SHIFT;
    int at = row & (PIECE - 1);
    if (piece < onHeap.length) {
      int[] values = onHeap[piece];
      if (values != null && at < values.length) {
        values[at] = value;
        size = Math.max(size, row + 1);
        return;
      }
      IntBuffer mapped = inFile[piece];
      if (mapped != null) {
        mapped.put(at, value);
        size = Math.max(size, row + 1);
        return;
      }
    }
    if (value != usual || isHeld(piece)) {
      setInNewRoom(piece, at, value);
      size = Math.max(size, row + 1);
    }
  }

  /** Adds a row behind the last one. */
  public void add(int value) {
    int row = size;
    if (row < rowsOnHeap) {
      onHeap[row >>> SHIFT][row & (PIECE - 1)] = value;
    } else {
      setBehindHeap(row, value);
    }
    size = row + 1;
  }

  private boolean isHeld(int piece) {
    return piece < onHeap.length && (onHeap[piece] != null || inFile[piece] != null);
  }

  private void setInNewRoom(int piece, int at, int value) {
    if (piece >= onHeap.length) {
      int pieces = Math.max(piece + 1, onHeap.length * 2);
      onHeap = Arrays.copyOf(onHeap, pieces);
      inFile = Arrays.copyOf(inFile, pieces);
    }
    int[] values = onHeap[piece];
    int had = values == null ? 0 : values.length;
    int wanted =
        piece == 0 ? Math.min(PIECE, Integer.highestOneBit(Math.max(FIRST, at)) * 2) : PIECE;
    if (space.takesHeap(4L * (wanted - had)) || values != null) {
      int[] more = values == null ? new int[wanted] : Arrays.copyOf(values, wanted);
      if (usual != 0) {
        Arrays.fill(more, had, wanted, usual);
      }
      more[at] = value;
      onHeap[piece] = more;
      findRowsOnHeap();
    } else {
      IntBuffer mapped = space.ints();
      for (int i = 0; i < PIECE; i++) {
        mapped.put(i, usual);
      }
      mapped.put(at, value);
      inFile[piece] = mapped;
    }
  }

  private void findRowsOnHeap() {
    int piece = rowsOnHeap >>> SHIFT; // all before it are whole
    int[] values = onHeap[piece];
    while (values != null) {
      rowsOnHeap = piece * PIECE + values.length;
      boolean isWhole = values.length == PIECE;
      values = isWhole && ++piece < onHeap.length ? onHeap[piece] : null;
    }
  }

  /** The numbers of all rows up to the size. */
  public IntStream stream() {
    return IntStream.range(0, size).map(this::get);
  }

  /** Gives the column's room back; the column is empty then. */
  public void clear() {
    for (int piece = 0; piece < onHeap.length; piece++) {
      int[] values = onHeap[piece];
      IntBuffer mapped = inFile[piece];
      if (values != null) {
        space.giveBack(4L * values.length);
      } else if (mapped != null) {
        space.giveBack(mapped);
      }
    }
    onHeap = new int[0][];
    inFile = new IntBuffer[0];
    rowsOnHeap = 0;
    size = 0;
  }
}
