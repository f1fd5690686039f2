package dev.sluice.scheduling.simulation;

import java.util.Arrays;

/**
 * When each of a fixed number of slots is due. The earliest comes first, of equal times the lowest
 * slot. Slots are kept in groups, as many as a group has slots: to move one costs at most a look at
 * its group and at all groups, in memory that lies together, and allocates nothing.
 */
final class Timeline {
  /** Of a slot that is not due. */
  static final long NEVER = Long.MAX_VALUE;

  private final int groupBits;
  private final long[] dueNs;

  /** By group: its slot that is due first. */
  private final int[] firstOfGroup;

  private final long[] groupNs;
  private int firstGroup;

  Timeline(int slots) {
    groupBits = (33 - Integer.numberOfLeadingZeros(slots)) / 2;
    int groups = (slots >> groupBits) + 1;
    dueNs = new long[groups << groupBits];
    firstOfGroup = new int[groups];
    groupNs = new long[groups];
    Arrays.fill(dueNs, NEVER);
    Arrays.fill(groupNs, NEVER);
    Arrays.setAll(firstOfGroup, group -> group << groupBits);
  }

  /** Moves a slot; {@link #NEVER} takes it off. */
  void set(int slot, long atNs) {
    dueNs[slot] = atNs;
    int group = slot >> groupBits;
    int first = firstOfGroup[group];
    if (slot == first || atNs < groupNs[group] || (atNs == groupNs[group] && slot < first)) {
      lookInto(group);
    }
  }

  private void lookInto(int group) {
    int from = group << groupBits;
    int first = from;
    long firstNs = dueNs[from];
    for (int slot = from + 1; slot < from + (1 << groupBits); slot++) {
      if (dueNs[slot] < firstNs) {
        firstNs = dueNs[slot];
        first = slot;
      }
    }
    firstOfGroup[group] = first;
    groupNs[group] = firstNs;
    int earliest = 0;
    long earliestNs = groupNs[0];
    for (int i = 1; i < groupNs.length; i++) {
      if (groupNs[i] < earliestNs) {
        earliestNs = groupNs[i];
        earliest = i;
      }
    }
    firstGroup = earliest;
  }

  /** When the slot is due. */
  long dueNs(int slot) {
    return dueNs[slot];
  }

  /** The slot that is due first; any if none is. */
  int first() {
    return firstOfGroup[firstGroup];
  }

  /** When it is due; {@link #NEVER}: none is. */
  long firstNs() {
    return groupNs[firstGroup];
  }
}
