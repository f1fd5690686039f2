package dev.sluice.scheduling.state;

import dev.sluice.scheduling.policy.JobOrder;
import java.util.AbstractList;
import java.util.Arrays;
import java.util.Objects;
import java.util.RandomAccess;
import org.jspecify.annotations.Nullable;

/** The groups of a set in which a job waits, by key, and the first of them in each order. */
final class OccupiedGroups extends AbstractList<JobGroup> implements RandomAccess {
  private JobGroup[] groups = {};
  private int count;

  private final First byDeadline = new First(JobOrder.DEADLINE);
  private final First byEntry = new First(JobOrder.ENTRY);
  private final First byPath = new First(JobOrder.PATH);

  /** Makes room for a number of groups. */
  void room(int most) {
    groups = Arrays.copyOf(groups, most);
  }

  @Override
  public JobGroup get(int index) {
    return groups[Objects.checkIndex(index, count)];
  }

  @Override
  public int size() {
    return count;
  }

  /** Notes that a job was added to the group. */
  void added(JobGroup group) {
    if (group.waiting() == 1) {
      int place = placeOf(group);
      System.arraycopy(groups, place, groups, place + 1, count++ - place);
      groups[place] = group;
    }
    byDeadline.added(group);
    byEntry.added(group);
    byPath.added(group);
  }

  /** Notes that a job was removed from the group. */
  void removed(JobGroup group) {
    if (group.waiting() == 0) {
      int place = placeOf(group);
      System.arraycopy(groups, place + 1, groups, place, --count - place);
    }
    byDeadline.removed(group);
    byEntry.removed(group);
    byPath.removed(group);
  }

  /** Returns how many occupied groups come before the group. */
  private int placeOf(JobGroup group) {
    int place = 0;
    while (place < count && groups[place].rank < group.rank) {
      place++;
    }
    return place;
  }

  /** Returns the first group by any order but ARRIVAL, as {@link First} knows it. */
  First first(JobOrder order) {
    return switch (order) {
      case DEADLINE -> byDeadline;
      case ENTRY -> byEntry;
      case PATH -> byPath;
      case ARRIVAL -> throw new IllegalArgumentException("sets keep no order " + order);
    };
  }

  /** The group whose first job comes first in an order; remembered until it loses a job. */
  final class First {
    private final JobOrder order;

    /** The group; null: it must be looked up anew, or none is occupied. */
    private @Nullable JobGroup first;

    /** Value by which the group's first job is ordered; as long as the group is known. */
    private long key;

    private First(JobOrder order) {
      this.order = order;
    }

    private void added(JobGroup group) {
      if (first != null && (first == group || group.isBefore(first, order))) {
        first = group;
        key = group.firstKey(order);
      }
    }

    private void removed(JobGroup group) {
      if (first == group) {
        first = null;
      }
    }

    /** Returns the value by which the first of all jobs is ordered; the greatest if none waits. */
    long key() {
      return first == null && group() == null ? Long.MAX_VALUE : key;
    }

    /** Returns the group; null: none is occupied. */
    @Nullable JobGroup group() {
      if (first == null) {
        JobGroup found = null;
        for (int i = 0; i < count; i++) {
          JobGroup group = groups[i];
          if (found == null || group.isBefore(found, order)) {
            found = group;
          }
        }
        first = found;
        key = found == null ? Long.MAX_VALUE : found.firstKey(order);
      }
      return first;
    }
  }
}
