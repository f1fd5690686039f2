package dev.sluice.analytics.column;

import java.nio.LongBuffer;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * A number of 64 bits for each row. A row that was never set has the column's usual value; pieces
 * of the column in which all rows have it take no room. Not safe for threads while it is written.
 */
public final class LongColumn {
  private static final int SHIFT = 16;
  private static final int PIECE = 1 << SHIFT;
  private static final int FIRST = 64;

  private final Space space;
  private final long usual;
  private long[] @Nullable [] onHeap = new long[0][];
  private @Nullable LongBuffer[] inFile = new LongBuffer[0];
  private int size;

  /** An empty column of which rows have the usual value until they are set. */
  public LongColumn(Space space, long usual) {
    this.space = space;
    this.usual = usual;
  }

  /** One more than the highest row that was set to another value than the usual one. */
  public int size() {
    return size;
  }

  /** The number of a row. */
  public long get(int row) {
    int piece = row >>> SHIFT;
    if (piece >= onHeap.length) {
      return usual;
    }
    int at = row & (PIECE - 1);
    long[] values = onHeap[piece];
    if (values != null) {
      return at < values.length ? values[at] : usual;
    }
    LongBuffer mapped = inFile[piece];
    return mapped == null ? usual : mapped.get(at);
  }

  /** Sets the number of a row. */
  public void set(int row, long value) {
    int piece = row >>> SHIFT;
    int at = row & (PIECE - 1);
    if (piece < onHeap.length) {
      long[] values = onHeap[piece];
      if (values != null && at < values.length) {
        values[at] = value;
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
  public void add(long value) {
    int row = size;
    set(row, value);
    size = row + 1;
  }

  private boolean isHeld(int piece) {
    return piece < onHeap.length && (onHeap[piece] != null || inFile[piece] != null);
  }

  private void setInNewRoom(int piece, int at, long value) {
    if (piece >= onHeap.length) {
      int pieces = Math.max(piece + 1, onHeap.length * 2);
      onHeap = Arrays.copyOf(onHeap, pieces);
      inFile = Arrays.copyOf(inFile, pieces);
    }
    LongBuffer mapped = inFile[piece];
    if (mapped == null) {
      long[] values = onHeap[piece];
      int had = values == null ? 0 : values.length;
      int wanted =
          piece == 0 ? Math.min(PIECE, Integer.highestOneBit(Math.max(FIRST, at)) * 2) : PIECE;
      if (values != null || space.takesHeap(8L * (wanted - had))) {
        long[] more = values == null ? new long[wanted] : Arrays.copyOf(values, wanted);
        if (usual != 0) {
          Arrays.fill(more, had, wanted, usual);
        }
        more[at] = value;
        onHeap[piece] = more;
        return;
      }
      mapped = space.piece(8 * PIECE).asLongBuffer();
      if (usual != 0) {
        for (int i = 0; i < PIECE; i++) {
          mapped.put(i, usual);
        }
      }
      inFile[piece] = mapped;
    }
    mapped.put(at, value);
  }

  /** Gives the column's heap back; the column is empty then. */
  public void clear() {
    for (long[] values : onHeap) {
      space.giveBack(values == null ? 0 : 8L * values.length);
    }
    onHeap = new long[0][];
    inFile = new LongBuffer[0];
    size = 0;
  }
}
