package dev.sluice.scheduling.state;

import dev.sluice.scheduling.driver.CoreSettings;
import dev.sluice.scheduling.policy.Choice.Cause;
import org.jspecify.annotations.Nullable;

/**
 * Where the jobs of a group may start, what it costs to load their model there, or what keeps them.
 */
final class Placement {
  private final CoreSettings settings;
  private final ExecutorTable executors;

  Placement(CoreSettings settings, ExecutorTable executors) {
    this.settings = settings;
    this.executors = executors;
  }

  /** Finds the lane on which the group's first job would start now; null: none. */
  @Nullable ExecutorLane laneFor(JobGroup group, long nowNs) {
    if (!group.ripe(nowNs)) {
      return null;
    }
    for (ExecutorLanes executor : executors.array) {
      ExecutorLane lane = executor.hasIdleLane() ? executor.firstIdle(group.lanesNeeded()) : null;
      if (lane != null && hasRoom(group, executor, nowNs)) {
        return lane;
      }
    }
    return settings.ahead() == 0 || group.lanesNeeded() > 1 ? null : busyLaneFor(group, nowNs);
  }

  /**
   * Returns whether a job of the group may start on this idle lane and as many next ones as it
   * needs.
   */
  boolean mayStartOn(ExecutorLane first, JobGroup group, long nowNs) {
    return first.executor().isIdle(first, group.lanesNeeded())
        && group.ripe(nowNs)
        && hasRoom(group, first.executor(), nowNs);
  }

  /** Finds the aligned lanes that are expected to be free first; null: none can ever run it. */
  @Nullable ExecutorLane laneToWaitFor(JobGroup gang) {
    ExecutorLane best = null;
    long bestNs = Long.MAX_VALUE;
    for (ExecutorLanes executor : executors.all) {
      if (executor.joined() && !executor.lost() && couldEverRun(gang, executor)) {
        for (int i = 0;
            i + gang.lanesNeeded() <= executor.lanes().size();
            i += gang.lanesNeeded()) {
          ExecutorLane lane = executor.lane(i);
          long freeAtNs = executor.expectedFreeAtNs(lane, gang.lanesNeeded());
          if (best == null || freeAtNs < bestNs) {
            best = lane;
            bestNs = freeAtNs;
          }
        }
      }
    }
    return best;
  }

  /**
   * Returns whether the executor can run the group's model, and has the tokens if nothing else
   * runs.
   */
  private boolean couldEverRun(JobGroup group, ExecutorLanes executor) {
    return group.modelOn(executor) != null
        && (group.overBudget ? settings.cpuFallback() : group.tokens <= executor.budgetTokens());
  }

  /**
   * Returns how long the lanes from the first on take at most until they hold the group's model.
   */
  long switchNs(ExecutorLane first, JobGroup group) {
    JobGroup.Key key = group.key;
    ExecutorLanes executor = first.executor();
    long loadNs = executor.loadNs(key.workload(), key.backend(), key.precision());
    if (loadNs == 0 && settings.switching() == CoreSettings.Switching.NONE) {
      return 0;
    }
    long longestNs = 0;
    for (ExecutorLane lane : executor.lanesFrom(first, group.lanesNeeded())) {
      long laneNs =
          lane.memory == null
              ? switchNs(lane.resident(), group.workload(), loadNs)
              : lane.memory.of(group.model()) == null ? loadNs : 0;
      longestNs = Math.max(longestNs, laneNs);
    }
    return longestNs;
  }

  /** Returns the loading time that the executor says, else that of the settings. */
  private long switchNs(@Nullable String resident, String workload, long loadNs) {
    if (loadNs == 0) {
      return settings.switching().switchNs(resident, workload);
    }
    return workload.equals(resident) ? 0 : loadNs;
  }

  /** Finds, of the lanes that take a batch beside what they hold, the one expected free first. */
  private @Nullable ExecutorLane busyLaneFor(JobGroup group, long nowNs) {
    ExecutorLane best = null;
    for (ExecutorLanes executor : executors.all) {
      ExecutorLane lane = executor.firstToTakeMore();
      if (lane != null
          && (best == null || lane.expectedFreeAtNs() < best.expectedFreeAtNs())
          && hasRoom(group, executor, nowNs)) {
        best = lane;
      }
    }
    return best;
  }

  /**
   * Returns whether the executor can run the group's model, and has the tokens for one of its jobs.
   */
  private boolean hasRoom(JobGroup group, ExecutorLanes executor, long nowNs) {
    return group.modelOn(executor) != null
        && (group.overBudget
            ? settings.cpuFallback()
            : group.tokens <= executor.freeTokens(group, nowNs));
  }

  /** Returns the tokens that a batch of the group takes; 0 if it may run outside the budget. */
  long tokensHeldBy(JobGroup group, long samples) {
    return group.overBudget && settings.cpuFallback() ? 0 : group.tokensOf(samples);
  }

  /** Returns why no ripe job of the set may start, as long as none can. */
  Cause ripeBlockedBy(JobSet set) {
    Cause cause = Cause.CAPABILITY;
    for (ExecutorLanes executor : executors.array) {
      if (executor.joined() && set.modelOn(executor) != null) {
        if (executor.takes(set.lanesNeeded())) {
          return Cause.TOKENS;
        }
        cause = Cause.LANE;
      }
    }
    return cause;
  }
}
