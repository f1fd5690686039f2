package dev.sluice.scheduling.core;

import dev.sluice.scheduling.fact.CoreListener;
import dev.sluice.scheduling.fact.CoreSettings.Admission;
import dev.sluice.scheduling.fact.Reason;
import dev.sluice.scheduling.policy.JobOrder;
import dev.sluice.scheduling.state.CoreState;
import dev.sluice.scheduling.state.JobGroup;
import dev.sluice.scheduling.state.JobList;
import dev.sluice.scheduling.state.QueuedJob;
import java.util.ArrayList;
import java.util.List;

/** Waiting jobs that are dropped before the policy is asked. */
final class Drops {
  private final CoreState state;
  private final Sources sources;
  private final JobQueue queue;
  private final Batches batches;
  private final Arrivals arrivals;

  Drops(CoreState state, Sources sources, JobQueue queue, Batches batches, Arrivals arrivals) {
    this.state = state;
    this.sources = sources;
    this.queue = queue;
    this.batches = batches;
    this.arrivals = arrivals;
  }

  /** Drops all jobs that must not be offered to the policy. */
  void dropAll(CoreListener listener) {
    if (sources.haveEnded()) {
      drop(state.waitingIn(group -> true), Reason.RUN_ENDED.text(), listener);
    }
    if (queue.budgetsMatter && !state.settings.cpuFallback()) {
      drop(state.waitingIn(group -> group.overBudget), Reason.OVER_BUDGET.text(), listener);
    }
    List<QueuedJob> expired = queue.takeExpired();
    if (!expired.isEmpty()) {
      drop(expired, Reason.WAITED_TOO_LONG.text(), listener);
    }
    admit(listener);
  }

  private void admit(CoreListener listener) {
    Admission admission = state.settings.admission();
    if (admission != Admission.NONE) {
      drop(late(state, admission), reason(admission).text(), listener);
    }
  }

  /** Returns the waiting jobs that an admission drops now, by entry. */
  static List<QueuedJob> late(CoreState state, Admission admission) {
    List<QueuedJob> late = new ArrayList<>();
    if (admission == Admission.NONE) {
      return late;
    }
    for (JobGroup group : state.groups()) {
      long latestStartNs = state.nowNs() + neededNs(state, admission, group);
      JobList.Walk byDeadline = group.list(JobOrder.DEADLINE).walk();
      QueuedJob job = byDeadline.next();
      while (job != null && job.deadlineNs < latestStartNs) {
        late.add(job);
        job = byDeadline.next();
      }
    }
    late.sort(JobOrder.ENTRY);
    return late;
  }

  /** Returns the reason of jobs that an admission drops. */
  static Reason reason(Admission admission) {
    return admission == Admission.HOPELESS ? Reason.HOPELESS : Reason.EXPIRED;
  }

  /** Returns how long before its deadline a job must start not to be dropped. */
  private static long neededNs(CoreState state, Admission admission, JobGroup group) {
    return admission == Admission.HOPELESS ? state.fastestNs(group) : 0;
  }

  long nextAdmissionAtNs() {
    long nextNs = Long.MAX_VALUE;
    if (state.settings.admission() != Admission.NONE) {
      for (JobGroup group : state.groups()) {
        long latestStartNs =
            group.first(JobOrder.DEADLINE).deadlineNs
                - neededNs(state, state.settings.admission(), group);
        if (latestStartNs < Long.MAX_VALUE) {
          nextNs = Math.min(nextNs, latestStartNs + 1);
        }
      }
    }
    return nextNs;
  }

  private void drop(List<QueuedJob> jobs, String reason, CoreListener listener) {
    for (QueuedJob job : jobs) {
      queue.remove(job, QueuedJob.Phase.ENDED, listener);
      arrivals.tellDropped(job.spec.id(), job.attempts, reason, listener);
      batches.forgetWhereLost(job, listener);
      arrivals.endNode(job.spec, job.workflow, false, listener);
    }
  }
}
