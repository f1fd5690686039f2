package dev.sluice.scheduling;

import dev.sluice.scheduling.policy.JobOrder;
import org.jspecify.annotations.Nullable;

/**
 * Jobs in one order, linked through the jobs themselves. Jobs mostly come in order, and those that
 * come back were near the front, so that inserting walks from both ends at once.
 */
final class JobList {
  private final JobOrder order;
  private final int slot;
  private @Nullable QueuedJob head;
  private @Nullable QueuedJob tail;
  private int size;

  JobList(JobOrder order) {
    this.order = order;
    this.slot =
        switch (order) {
          case DEADLINE -> 0;
          case ENTRY -> 1;
          case ARRIVAL -> 2;
        };
  }

  @Nullable QueuedJob first() {
    return head;
  }

  @Nullable QueuedJob after(QueuedJob job) {
    return job.next[slot];
  }

  int size() {
    return size;
  }

  /** The job at a place in [0, size). */
  QueuedJob at(int place) {
    boolean fromFront = place < size / 2;
    QueuedJob job = fromFront ? head : tail;
    for (int steps = fromFront ? place : size - 1 - place; steps > 0 && job != null; steps--) {
      job = fromFront ? job.next[slot] : job.previous[slot];
    }
    if (job == null || place < 0 || place >= size) {
      throw new IndexOutOfBoundsException("place (" + place + ") of " + size);
    }
    return job;
  }

  void insert(QueuedJob job) {
    QueuedJob before = tail;
    QueuedJob after = head;
    while (before != null && after != null) {
      if (order.compare(before, job) < 0) {
        link(before, job, before.next[slot]);
        return;
      }
      if (order.compare(after, job) > 0) {
        link(after.previous[slot], job, after);
        return;
      }
      before = before.previous[slot];
      after = after.next[slot];
    }
    link(null, job, null); // only an empty list has neither an earlier nor a later job
  }

  void remove(QueuedJob job) {
    QueuedJob before = job.previous[slot];
    QueuedJob after = job.next[slot];
    if (before == null) {
      head = after;
    } else {
      before.next[slot] = after;
    }
    if (after == null) {
      tail = before;
    } else {
      after.previous[slot] = before;
    }
    job.previous[slot] = null;
    job.next[slot] = null;
    size--;
  }

  private void link(@Nullable QueuedJob before, QueuedJob job, @Nullable QueuedJob after) {
    job.previous[slot] = before;
    job.next[slot] = after;
    if (before == null) {
      head = job;
    } else {
      before.next[slot] = job;
    }
    if (after == null) {
      tail = job;
    } else {
      after.previous[slot] = job;
    }
    size++;
  }
}
