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
    if (state.settings.admission() == Admission.NONE) {
      return;
    }
    List<QueuedJob> late = new ArrayList<>();
    for (JobGroup group : state.groups()) {
      long latestStartNs = state.nowNs() + neededNs(group);
      JobList.Walk byDeadline = group.list(JobOrder.DEADLINE).walk();
      QueuedJob job = byDeadline.next();
      while (job != null && job.deadlineNs < latestStartNs) {
        late.add(job);
        job = byDeadline.next();
      }
    }
    late.sort(JobOrder.ENTRY);
    boolean hopeless = state.settings.admission() == Admission.HOPELESS;
    drop(late, (hopeless ? Reason.HOPELESS : Reason.EXPIRED).text(), listener);
  }

  /** Returns how long before its deadline a job must start not to be dropped. */
  private long neededNs(JobGroup group) {
    return state.settings.admission() == Admission.HOPELESS ? state.fastestNs(group) : 0;
  }

  long nextAdmissionAtNs() {
    long nextNs = Long.MAX_VALUE;
    if (state.settings.admission() != Admission.NONE) {
      for (JobGroup group : state.groups()) {
        long latestStartNs = group.first(JobOrder.DEADLINE).deadlineNs - neededNs(group);
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
