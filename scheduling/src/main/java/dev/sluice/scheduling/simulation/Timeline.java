package dev.sluice.scheduling.simulation;

import java.util.Arrays;

/**
 * When each of a fixed number of slots is due. The earliest comes first, of equal times the lowest
 * slot. Neighbouring slots form groups that know their first slot; a search for the first of all
 * looks at the groups alone, so that moving a slot is cheap and allocates nothing.
 */
final class Timeline {
  /** Time of a slot that is not due. */
  static final long NEVER = Long.MAX_VALUE;

  private static final int GROUP_SLOTS_MIN = 16;

  private final long[] dueNs;
  private final int[] groupOf;

  /** Lowest slot of each group, and the number of slots as the last entry. */
  private final int[] groupFrom;

  /** First due slot of each group; its time stands in the next array. */
  private final int[] firstOfGroup;

  private final long[] groupNs;

  /**
   * @param kinds number of slots of each kind; no group holds slots of two kinds
   */
  Timeline(int... kinds) {
    int slots = Arrays.stream(kinds).sum();
    int groupSlots = Math.max(GROUP_SLOTS_MIN, (int) Math.sqrt(slots));
    dueNs = new long[slots];
    groupOf = new int[slots];
    int[] from = new int[slots + 1];
    int groups = 0;
    int slot = 0;
    for (int kind : kinds) {
      for (int i = 0; i < kind; i++) {
        if (i % groupSlots == 0) {
          from[groups++] = slot;
        }
        groupOf[slot++] = groups - 1;
      }
    }
    from[groups] = slots;
    groupFrom = Arrays.copyOf(from, groups + 1);
    firstOfGroup = Arrays.copyOf(from, groups);
    groupNs = new long[groups];
    Arrays.fill(dueNs, NEVER);
    Arrays.fill(groupNs, NEVER);
  }

  /** Moves a slot; {@link #NEVER} takes it off. */
  void set(int slot, long atNs) {
    dueNs[slot] = atNs;
    int group = groupOf[slot];
    int first = firstOfGroup[group];
    long firstNs = groupNs[group];
    if (atNs < firstNs || (atNs == firstNs && slot <= first)) {
      firstOfGroup[group] = slot;
      groupNs[group] = atNs;
    } else if (slot == first) {
      lookInto(group);
    }
  }

  private void lookInto(int group) {
    int first = groupFrom[group];
    long firstNs = dueNs[first];
    for (int slot = first + 1; slot < groupFrom[group + 1]; slot++) {
      if (dueNs[slot] < firstNs) {
        firstNs = dueNs[slot];
        first = slot;
      }
    }
    firstOfGroup[group] = first;
    groupNs[group] = firstNs;
  }

  /** Returns when the slot is due; {@link #NEVER} if it is not due. */
  long dueNs(int slot) {
    return dueNs[slot];
  }

  /** Returns the slot that is due first; any slot if none is due. */
  int first() {
    int earliest = 0;
    long earliestNs = groupNs[0];
    for (int group = 1; group < groupNs.length; group++) {
      if (groupNs[group] < earliestNs) {
        earliestNs = groupNs[group];
        earliest = group;
      }
    }
    return firstOfGroup[earliest];
  }
}
