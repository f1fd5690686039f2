package dev.sluice.scheduling.core;

import dev.sluice.scheduling.policy.JobOrder;
import dev.sluice.scheduling.state.CoreState;
import dev.sluice.scheduling.state.JobGroup;
import dev.sluice.scheduling.state.QueuedJob;
import java.util.ArrayList;
import java.util.List;
import java.util.PriorityQueue;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** Jobs that enter and leave the queue, and the time that they may wait in it. */
final class JobQueue {
  private final CoreState state;

  long nextEntry;

  /** Whether a waiting job may be over every budget, since it came back or executors changed. */
  boolean budgetsMatter;

  /** Jobs that may come to wait too long, by entry; some of them have left the queue since. */
  private final PriorityQueue<QueuedJob> mayExpire = new PriorityQueue<>(JobOrder.ENTRY);

  /**
   * Jobs that wait though the run has ended, by entry; some of them have ended since. Null: the run
   * has not ended.
   */
  private @Nullable PriorityQueue<QueuedJob> leftOver;

  /**
   * Waiting jobs over every budget, by entry; some of them have ended since. Null: none was asked
   * for since the budgets changed.
   */
  private @Nullable PriorityQueue<QueuedJob> overBudget;

  JobQueue(CoreState state) {
    this.state = state;
  }

  void add(QueuedJob job) {
    state.jobs.add(job);
    if (leftOver != null) {
      leftOver.add(job);
    }
    if (overBudget != null && job.group.overBudget) {
      overBudget.add(job);
    }
    if (!job.mayExpire && state.settings.bounds().expireAfterNs() < Long.MAX_VALUE) {
      job.mayExpire = true;
      mayExpire.add(job);
    }
  }

  void putBack(QueuedJob job) {
    job.batch = null;
    add(job);
    budgetsMatter |= job.group.overBudget;
  }

  void remove(QueuedJob job, QueuedJob.Phase to) {
    state.jobs.remove(job);
    job.phase = to;
  }

  void budgetsChanged() {
    budgetsMatter = true;
    overBudget = null;
  }

  /**
   * Returns jobs that wait though the run has ended, the first by entry, and no longer watches
   * them; they stay in the queue.
   */
  List<QueuedJob> takeLeftOver(int most) {
    leftOver = leftOver == null ? collect(group -> true) : leftOver;
    return take(leftOver, most);
  }

  /**
   * Returns waiting jobs over every budget, the first by entry, and no longer watches them; they
   * stay in the queue.
   */
  List<QueuedJob> takeOverBudget(int most) {
    overBudget = overBudget == null ? collect(group -> group.overBudget) : overBudget;
    return take(overBudget, most);
  }

  /** Walks over all waiting jobs of these groups: once, not for each slice that is dropped. */
  private PriorityQueue<QueuedJob> collect(Predicate<JobGroup> matches) {
    var all = new PriorityQueue<QueuedJob>(JobOrder.ENTRY);
    all.addAll(state.jobs.waitingIn(matches));
    return all;
  }

  private static List<QueuedJob> take(PriorityQueue<QueuedJob> from, int most) {
    List<QueuedJob> taken = new ArrayList<>();
    while (taken.size() < most && !from.isEmpty()) {
      QueuedJob job = from.remove();
      if (job.phase == QueuedJob.Phase.WAITING) {
        taken.add(job);
      }
    }
    return taken;
  }

  /**
   * Returns jobs that have waited too long, the first by entry, and no longer watches them; they
   * stay in the queue.
   */
  List<QueuedJob> takeExpired(int most) {
    List<QueuedJob> old = new ArrayList<>();
    while (old.size() < most && nextExpiryAtNs() <= state.nowNs()) {
      QueuedJob job = mayExpire.remove();
      job.mayExpire = false;
      old.add(job);
    }
    return old;
  }

  /**
   * Returns when the oldest waiting job will have waited too long; {@link Long#MAX_VALUE} if none
   * will.
   */
  long nextExpiryAtNs() {
    QueuedJob oldest = mayExpire.peek();
    if (oldest == null) {
      return Long.MAX_VALUE; // and for most runs there never is one
    }
    while (oldest != null && oldest.phase != QueuedJob.Phase.WAITING) {
      mayExpire.remove().mayExpire = false;
      oldest = mayExpire.peek();
    }
    long afterNs = state.settings.bounds().expireAfterNs();
    return oldest == null || oldest.appendedAtNs >= Long.MAX_VALUE - afterNs
        ? Long.MAX_VALUE
        : oldest.appendedAtNs + afterNs + 1;
  }
}
