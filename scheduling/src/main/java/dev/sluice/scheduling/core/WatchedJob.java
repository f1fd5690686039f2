package dev.sluice.scheduling.core;

import dev.sluice.scheduling.policy.Choice.Cause;
import dev.sluice.scheduling.policy.JobSpec;
import dev.sluice.scheduling.state.CoreState;
import dev.sluice.scheduling.state.ExecutorLanes;
import dev.sluice.scheduling.state.JobGroup;
import dev.sluice.scheduling.state.QueuedJob;
import java.util.ArrayList;
import java.util.List;

/** One job that a core holds, followed until it ends: each question is about the present state. */
public final class WatchedJob {
  private final CoreState state;
  private final QueuedJob job;

  WatchedJob(CoreState state, QueuedJob job) {
    this.state = state;
    this.job = job;
  }

  public JobSpec spec() {
    return job.spec;
  }

  /** Returns its place in the sequence in which the core took its jobs in. */
  public long entry() {
    return job.entry();
  }

  public boolean waits() {
    return job.phase == QueuedJob.Phase.WAITING;
  }

  public boolean hasEnded() {
    return job.phase == QueuedJob.Phase.ENDED;
  }

  /** Returns the number of its dispatches that were lost so far. */
  public int attempts() {
    return job.attempts();
  }

  /** Returns whether an executor that is not lost can run the job, be it busy or not. */
  public boolean canRunOn(String executorId) {
    ExecutorLanes executor = state.executor(executorId);
    return executor != null && canRunOn(executor, job.group);
  }

  /**
   * Returns how many waiting jobs could share a batch with it, not counting itself. May be asked
   * while the core tells of a start, when the jobs of that batch no longer wait.
   */
  public int othersToShareWith() {
    boolean counts = waits();
    return job.group.shares && !job.group.overBudget
        ? job.group.set.waitingToShare() - (counts ? 1 : 0)
        : 0;
  }

  /**
   * Returns why the job does not start.
   *
   * @throws IllegalStateException if it does not wait
   */
  public WaitReasons reasons() {
    if (!waits()) {
      throw new IllegalStateException(job.spec.id() + " does not wait");
    }
    return reasons(state, job.group);
  }

  static WaitReasons reasons(CoreState state, JobGroup group) {
    boolean anyCanRun = false;
    boolean anyHasLanes = false;
    long freeTokens = Long.MIN_VALUE;
    boolean hasRoom = false;
    for (ExecutorLanes executor : state.executors()) {
      if (!canRunOn(executor, group)) {
        continue;
      }
      anyCanRun = true;
      boolean hasLanes = executor.takes(group.lanesNeeded());
      if (anyHasLanes && !hasLanes) {
        continue;
      }
      if (hasLanes && !anyHasLanes) { // only executors with lanes count from now on
        anyHasLanes = true;
        freeTokens = Long.MIN_VALUE;
        hasRoom = false;
      }
      long free =
          executor.budgetTokens() == Long.MAX_VALUE
              ? Long.MAX_VALUE
              : executor.freeTokens(group, state.nowNs());
      freeTokens = Math.max(freeTokens, free);
      hasRoom |= group.overBudget ? state.settings.cpuFallback() : group.tokens <= free;
    }
    List<Cause> causes = new ArrayList<>(2);
    if (!anyCanRun) {
      causes.add(Cause.CAPABILITY);
    } else {
      if (!anyHasLanes) {
        causes.add(Cause.LANE);
      }
      if (!hasRoom) {
        causes.add(Cause.TOKENS);
      }
    }
    if (!group.ripe(state.nowNs())) {
      causes.add(Cause.WINDOW);
    }
    if (causes.isEmpty()) {
      causes.add(Cause.POLICY);
    }
    return new WaitReasons(
        causes,
        state.tokensHeldBy(group, group.samples()),
        anyCanRun ? freeTokens : 0,
        group.shares ? group.set.readyAtNs() : Long.MIN_VALUE);
  }

  private static boolean canRunOn(ExecutorLanes executor, JobGroup group) {
    return executor.joined()
        && !executor.lost()
        && group.modelOn(executor) != null
        && group.lanesNeeded() <= executor.lanes().size();
  }
}
