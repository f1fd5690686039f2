package dev.sluice.scheduling.simulation;

import dev.sluice.contract.value.SplitMix64;
import java.util.Arrays;

/**
 * A recording that is played in blocks drawn at random, which keeps spells of similar rows
 * together: each second of virtual time takes a second of the recording that holds rows, and plays
 * its rows from the first to the last, each for an equal time. Immutable; may be used from many
 * threads.
 */
public final class BlockSeries {
  private static final long BLOCK_NS = 1_000_000_000;

  /** First row of each block, and the number of rows as the last entry. */
  private final int[] firstRow;

  private final long seed;

  /**
   * @param atNs when each row was recorded, ascending; at least one
   */
  public BlockSeries(long[] atNs, long seed) {
    if (atNs.length == 0) {
      throw new IllegalArgumentException("a recording needs a row");
    }
    this.seed = seed;
    int[] first = new int[atNs.length + 1];
    int blocks = 0;
    for (int i = 0; i < atNs.length; i++) {
      if (i > 0 && atNs[i] < atNs[i - 1]) {
        throw new IllegalArgumentException("row " + i + " was recorded before the one before it");
      }
      if (i == 0 || Math.floorDiv(atNs[i], BLOCK_NS) != Math.floorDiv(atNs[i - 1], BLOCK_NS)) {
        first[blocks++] = i;
      }
    }
    first[blocks] = atNs.length;
    firstRow = Arrays.copyOf(first, blocks + 1);
  }

  public int row(long virtualNs) {
    long second = Math.floorDiv(virtualNs, BLOCK_NS);
    int block = (int) Long.remainderUnsigned(SplitMix64.mix(seed, second), firstRow.length - 1);
    int rows = firstRow[block + 1] - firstRow[block];
    return firstRow[block] + (int) (Math.floorMod(virtualNs, BLOCK_NS) * rows / BLOCK_NS);
  }
}
