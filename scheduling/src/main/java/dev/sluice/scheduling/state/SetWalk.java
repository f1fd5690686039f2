package dev.sluice.scheduling.state;

import dev.sluice.scheduling.policy.JobOrder;
import dev.sluice.scheduling.policy.SchedulerState;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A walk over the jobs of several groups in one order, from either end. Used again for each walk of
 * a set.
 */
final class SetWalk implements SchedulerState.Walk {
  private Head[] heads = {};
  private int count;
  private JobOrder order = JobOrder.ENTRY;
  private boolean back;

  /** The next job of a group. */
  private final class Head {
    final JobList.Walk walk = new JobList.Walk();
    long key;
    @Nullable QueuedJob job;

    void advance() {
      job = back ? walk.previous() : walk.next();
      if (job != null) {
        key = walk.key();
      }
    }
  }

  void begin(List<JobGroup> groups, JobOrder inOrder, boolean fromTheEnd) {
    order = inOrder;
    back = fromTheEnd;
    count = groups.size();
    while (heads.length < count) {
      heads = Arrays.copyOf(heads, heads.length + 1);
      heads[heads.length - 1] = new Head();
    }
    for (int i = 0; i < count; i++) {
      JobList list = groups.get(i).list(order);
      if (back) {
        heads[i].walk.end(list);
      } else {
        heads[i].walk.begin(list);
      }
      heads[i].advance();
    }
  }

  @Override
  public @Nullable QueuedJob next() {
    Head best = null;
    for (int i = 0; i < count; i++) {
      Head head = heads[i];
      if (head.job != null && (best == null || isBefore(head, best) != back)) {
        best = head;
      }
    }
    if (best == null) {
      return null;
    }
    QueuedJob next = best.job;
    best.advance();
    return next;
  }

  private boolean isBefore(Head a, Head b) {
    return a.key != b.key
        ? a.key < b.key
        : a.job != null && b.job != null && order.compare(a.job, b.job) < 0;
  }
}
