package dev.sluice.scheduling.simulation;

import java.util.Arrays;

/**
 * A recording that is played in blocks drawn at random, so that what came in spells comes in spells
 * again: each second of virtual time takes a second of the recording, and within it what was
 * recorded next. Immutable; may be used from many threads.
 */
public final class BlockSeries {
  private static final long BLOCK_NS = 1_000_000_000;

  private final long[] atNs;
  private final long firstBlock;
  private final long blocks;
  private final long seed;

  /**
   * @param atNs when each row was recorded, ascending; at least one
   * @param seed what the drawn blocks depend on
   */
  public BlockSeries(long[] atNs, long seed) {
    if (atNs.length == 0) {
      throw new IllegalArgumentException("a recording needs a row");
    }
    this.atNs = atNs.clone();
    this.seed = seed;
    for (int i = 1; i < atNs.length; i++) {
      if (atNs[i] < atNs[i - 1]) {
        throw new IllegalArgumentException("row " + i + " was recorded before the one before it");
      }
    }
    firstBlock = Math.floorDiv(atNs[0], BLOCK_NS);
    blocks = Math.floorDiv(atNs[atNs.length - 1], BLOCK_NS) - firstBlock + 1;
  }

  /** The row for that virtual time. */
  public int row(long virtualNs) {
    long block = Math.floorDiv(virtualNs, BLOCK_NS);
    long drawn = firstBlock + Long.remainderUnsigned(SplitMix.mix(seed, block), blocks);
    long recordedNs = drawn * BLOCK_NS + Math.floorMod(virtualNs, BLOCK_NS);
    int found = Arrays.binarySearch(atNs, recordedNs);
    int row = found >= 0 ? found : -found - 1;
    return row == atNs.length ? 0 : row;
  }
}
