package dev.sluice.scheduling.simulation;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.IntConsumer;

/**
 * When each of a fixed number of slots is due. The earliest comes first, of equal times the lowest
 * slot. A slot that moves plays its matches of a tournament again, which allocates nothing.
 */
final class Timeline {
  /** Time of a slot that is not due. */
  static final long NEVER = Long.MAX_VALUE;

  private final List<Slots> kinds = new ArrayList<>();
  private int slots;
  private long[] dueNs = {};

  /** Winner of each match; match i is between the winners of 2i and 2i + 1, the last are slots. */
  private int[] first = {};

  /** Slots of one kind of event, which follow those of the kinds that were added before. */
  final class Slots {
    private final int from;
    private final IntConsumer happens;

    private Slots(int from, IntConsumer happens) {
      this.from = from;
      this.happens = happens;
    }

    /** Moves a slot; {@link #NEVER} takes it off. */
    void set(int number, long atNs) {
      dueNs[from + number] = atNs;
      for (int match = (from + number + dueNs.length) / 2; match > 0; match /= 2) {
        play(match);
      }
    }

    /** Returns when the slot is due; {@link #NEVER} if it is not due. */
    long dueNs(int number) {
      return dueNs[from + number];
    }
  }

  /** Adds slots of a kind, before any is moved, and what happens when one, by number, is due. */
  Slots add(int count, IntConsumer happens) {
    Slots added = new Slots(slots, happens);
    kinds.add(added);
    slots += count;
    dueNs = new long[Math.max(1, Integer.highestOneBit(2 * slots - 1))];
    Arrays.fill(dueNs, NEVER);
    first = new int[2 * dueNs.length];
    for (int match = first.length - 1; match > 0; match--) {
      if (match >= dueNs.length) {
        first[match] = match - dueNs.length;
      } else {
        play(match);
      }
    }
    return added;
  }

  private void play(int match) {
    int low = first[2 * match];
    int high = first[2 * match + 1];
    first[match] = dueNs[high] < dueNs[low] ? high : low;
  }

  /** Returns when the first slot is due; {@link #NEVER}: none is. */
  long nextNs() {
    return dueNs[first[1]];
  }

  /** Has the event of the first slot happen, which moves the slot. */
  void happen() {
    int slot = first[1];
    int kind = kinds.size() - 1;
    while (kinds.get(kind).from > slot) {
      kind--;
    }
    kinds.get(kind).happens.accept(slot - kinds.get(kind).from);
  }
}
