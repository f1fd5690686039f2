package dev.sluice.scheduling.core;

import dev.sluice.contract.value.Reason;
import dev.sluice.scheduling.driver.CoreListener;
import dev.sluice.scheduling.driver.CoreSettings.Admission;
import dev.sluice.scheduling.policy.JobOrder;
import dev.sluice.scheduling.state.CoreState;
import dev.sluice.scheduling.state.JobGroup;
import dev.sluice.scheduling.state.JobList;
import dev.sluice.scheduling.state.QueuedJob;
import java.util.ArrayList;
import java.util.List;

/**
 * Waiting jobs that are dropped before the policy is asked. However many must go, one fact drops
 * {@value #AT_ONCE_MAX} of them at most, so that what follows from a fact stays small; the core
 * asks to be woken at once for the others, and starts nothing before they are gone.
 */
final class Drops {
  static final int AT_ONCE_MAX = 500;

  private final CoreState state;
  private final JobQueue queue;
  private final Batches batches;
  private final Arrivals arrivals;

  private boolean anyLeft;

  Drops(CoreState state, JobQueue queue, Batches batches, Arrivals arrivals) {
    this.state = state;
    this.queue = queue;
    this.batches = batches;
    this.arrivals = arrivals;
  }

  /** Drops jobs that must not be offered to the policy, at most {@value #AT_ONCE_MAX} of them. */
  void drop(CoreListener listener) {
    int most = AT_ONCE_MAX;
    if (arrivals.haveEnded()) {
      most -= drop(queue.takeLeftOver(most), Reason.RUN_ENDED.text(), listener);
    }
    if (queue.budgetsMatter) {
      if (anyOverBudget()) {
        most -= drop(queue.takeOverBudget(most), Reason.OVER_BUDGET.text(), listener);
      }
      queue.budgetsMatter = anyOverBudget();
    }
    if (queue.nextExpiryAtNs() <= state.nowNs()) {
      most -= drop(queue.takeExpired(most), Reason.WAITED_TOO_LONG.text(), listener);
    }
    Admission admission = state.settings.admission();
    if (admission != Admission.NONE) {
      most -= drop(late(state, admission, most), reason(admission).text(), listener);
    }
    anyLeft = most == 0 && mustDrop();
  }

  /** Returns whether jobs that must not be offered to the policy still wait. */
  boolean anyLeft() {
    return anyLeft;
  }

  /** Takes over what another core had left to drop; after all else of its state. */
  void restore() {
    queue.budgetsChanged();
    anyLeft = mustDrop();
  }

  private boolean mustDrop() {
    return (arrivals.haveEnded() && state.waiting() > 0)
        || anyOverBudget()
        || queue.nextExpiryAtNs() <= state.nowNs()
        || nextAdmissionAtNs() <= state.nowNs();
  }

  private boolean anyOverBudget() {
    if (!queue.budgetsMatter || state.settings.placing().cpuFallback()) {
      return false;
    }
    for (JobGroup group : state.groups()) {
      if (group.overBudget) {
        return true;
      }
    }
    return false;
  }

  /** Returns at most {@code most} jobs that an admission drops now, by entry, group by group. */
  static List<QueuedJob> late(CoreState state, Admission admission, int most) {
    List<QueuedJob> late = new ArrayList<>();
    if (admission == Admission.NONE) {
      return late;
    }
    for (JobGroup group : state.groups()) {
      long latestStartNs = state.nowNs() + neededNs(state, admission, group);
      JobList list = group.list(JobOrder.DEADLINE);
      for (int i = 0;
          i < list.size() && list.at(i).deadlineNs < latestStartNs && late.size() < most;
          i++) {
        late.add(list.at(i));
      }
    }
    late.sort(JobOrder.ENTRY);
    return late;
  }

  static Reason reason(Admission admission) {
    return admission == Admission.HOPELESS ? Reason.HOPELESS : Reason.EXPIRED;
  }

  /** Returns how long before its deadline a job must start not to be dropped. */
  private static long neededNs(CoreState state, Admission admission, JobGroup group) {
    return admission == Admission.HOPELESS ? state.executors.fastestNs(group) : 0;
  }

  long nextAdmissionAtNs() {
    Admission admission = state.settings.admission();
    if (admission == Admission.NONE) {
      return Long.MAX_VALUE;
    }
    long nextNs = Long.MAX_VALUE;
    for (JobGroup group : state.groups()) {
      long latestStartNs =
          group.first(JobOrder.DEADLINE).deadlineNs - neededNs(state, admission, group);
      if (latestStartNs < Long.MAX_VALUE) {
        nextNs = Math.min(nextNs, latestStartNs + 1);
      }
    }
    return nextNs;
  }

  int drop(List<QueuedJob> jobs, String reason, CoreListener listener) {
    for (QueuedJob job : jobs) {
      queue.remove(job, QueuedJob.Phase.ENDED);
      arrivals.tellDropped(job.spec.id(), job.attempts, reason, listener);
      batches.forgetWhereLost(job);
      arrivals.endNode(job.spec, job.workflow, false, listener);
    }
    return jobs.size();
  }
}
