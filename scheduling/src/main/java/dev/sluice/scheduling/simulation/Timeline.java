package dev.sluice.scheduling.simulation;

import java.util.Arrays;

/**
 * When each of a fixed number of slots is due. The earliest comes first, of equal times the lowest
 * slot: a tournament over all of them, so that moving a slot costs the logarithm of their number
 * and nothing is allocated.
 */
final class Timeline {
  /** Of a slot that is not due. */
  static final long NEVER = Long.MAX_VALUE;

  private final int leaves;
  private final long[] dueNs;

  /**
   * By node of the tree, whose root is 1 and whose leaf of slot s is leaves + s: who wins below.
   */
  private final int[] winner;

  Timeline(int slots) {
    leaves = Math.max(2, Integer.highestOneBit(Math.max(1, slots - 1)) << 1);
    dueNs = new long[leaves];
    winner = new int[2 * leaves];
    Arrays.fill(dueNs, NEVER);
    for (int slot = 0; slot < leaves; slot++) {
      winner[leaves + slot] = slot;
    }
    for (int node = leaves - 1; node >= 1; node--) {
      winner[node] = winner[2 * node];
    }
  }

  /** Moves a slot; {@link #NEVER} takes it off. */
  void set(int slot, long atNs) {
    if (dueNs[slot] == atNs) {
      return;
    }
    dueNs[slot] = atNs;
    for (int node = (leaves + slot) >> 1; node >= 1; node >>= 1) {
      int left = winner[2 * node];
      int right = winner[2 * node + 1];
      int now = dueNs[right] < dueNs[left] ? right : left;
      if (now == winner[node] && now != slot) {
        return; // neither the winner nor its time changed, here and above
      }
      winner[node] = now;
    }
  }

  /** When the slot is due. */
  long dueNs(int slot) {
    return dueNs[slot];
  }

  /** The slot that is due first; any if none is. */
  int first() {
    return winner[1];
  }

  /** When it is due; {@link #NEVER}: none is. */
  long firstNs() {
    return dueNs[winner[1]];
  }
}
