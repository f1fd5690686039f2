package dev.sluice.scheduling.simulation;

import dev.sluice.contract.value.SplitMix64;
import java.util.Arrays;
import java.util.List;
import java.util.function.ToLongFunction;

/**
 * A recording that is played in blocks drawn at random, which keeps spells of similar rows
 * together: each second of virtual time takes a second of the recording that holds rows, and plays
 * its rows from the first to the last, each for an equal time. Immutable; may be used from many
 * threads.
 */
public final class BlockSeries<T> {
  private static final long BLOCK_NS = 1_000_000_000;

  private final List<T> rows;

  /** First row of each block, and the number of rows as the last entry. */
  private final int[] firstRow;

  private final long seed;

  /**
   * @param rows rows of the recording, at least one
   * @param atNs when a row was recorded, ascending
   */
  public BlockSeries(List<T> rows, ToLongFunction<T> atNs, long seed) {
    if (rows.isEmpty()) {
      throw new IllegalArgumentException("a recording needs a row");
    }
    this.rows = List.copyOf(rows);
    this.seed = seed;
    int[] first = new int[rows.size() + 1];
    int blocks = 0;
    long beforeNs = Long.MIN_VALUE;
    for (int i = 0; i < rows.size(); i++) {
      long rowNs = atNs.applyAsLong(rows.get(i));
      if (rowNs < beforeNs) {
        throw new IllegalArgumentException("row " + i + " was recorded before the one before it");
      }
      if (i == 0 || Math.floorDiv(rowNs, BLOCK_NS) != Math.floorDiv(beforeNs, BLOCK_NS)) {
        first[blocks++] = i;
      }
      beforeNs = rowNs;
    }
    first[blocks] = rows.size();
    firstRow = Arrays.copyOf(first, blocks + 1);
  }

  /** Returns the row that is played at a virtual time. */
  public T at(long virtualNs) {
    long second = Math.floorDiv(virtualNs, BLOCK_NS);
    int block = (int) Long.remainderUnsigned(SplitMix64.mix(seed, second), firstRow.length - 1);
    int count = firstRow[block + 1] - firstRow[block];
    return rows.get(
        firstRow[block] + (int) (Math.floorMod(virtualNs, BLOCK_NS) * count / BLOCK_NS));
  }
}
