package dev.sluice.scheduling.core;

import dev.sluice.scheduling.driver.CoreSettings.Leases;
import dev.sluice.scheduling.state.Batch;
import dev.sluice.scheduling.state.ExecutorLane;
import dev.sluice.scheduling.state.ExecutorLanes;
import java.util.ArrayList;
import java.util.List;

/**
 * Log time as far as it counts toward leases: between two consecutive facts at most a heartbeat, so
 * that neither a paused scheduler nor a restarted broker costs an executor its lease. The clock
 * knows which leases and batches are due.
 */
final class LeaseClock {
  private final Leases leases;
  private final List<ExecutorLanes> executors;
  long nowNs;

  final List<Long> reportedAtNs = new ArrayList<>();

  /** Time before which no batch is overdue; maybe too early: completions do not move it. */
  long overdueCheckAtNs = Long.MAX_VALUE;

  LeaseClock(Leases leases, List<ExecutorLanes> executors) {
    this.leases = leases;
    this.executors = executors;
  }

  void advance(long passedNs) {
    nowNs += Math.min(passedNs, leases.heartbeatNs());
  }

  void reported(ExecutorLanes executor) {
    if (executor.order == reportedAtNs.size()) {
      reportedAtNs.add(nowNs);
    } else {
      reportedAtNs.set(executor.order, nowNs);
    }
  }

  private long expiresAtNs(ExecutorLanes executor) {
    long reportedNs = reportedAtNs.get(executor.order);
    return leases.leaseNs() > Long.MAX_VALUE - reportedNs
        ? Long.MAX_VALUE
        : reportedNs + leases.leaseNs();
  }

  boolean hasExpired(ExecutorLanes executor) {
    return executor.joined() && !executor.lost && expiresAtNs(executor) <= nowNs;
  }

  void started(Batch batch) {
    if (leases.leaseNs() < Long.MAX_VALUE) {
      overdueCheckAtNs = Math.min(overdueCheckAtNs, nowNs + batch.allowedNs());
    }
  }

  /** Looks up when the next batch will be overdue, after all overdue batches were lost. */
  void checkedOverdue() {
    overdueCheckAtNs = Long.MAX_VALUE;
    for (ExecutorLanes executor : executors) {
      for (ExecutorLane lane : executor.allLanes) {
        List<Batch> held = lane.held;
        if (!held.isEmpty() && !held.get(0).lost) {
          overdueCheckAtNs = Math.min(overdueCheckAtNs, lane.overdueAtLeaseNs());
          for (int i = 1; i < held.size(); i++) { // it comes first later, with a time of its own
            overdueCheckAtNs = Math.min(overdueCheckAtNs, nowNs + held.get(i).allowedNs());
          }
        }
      }
    }
  }

  /**
   * Returns the time until something may be due if no fact comes before: at most a heartbeat, since
   * more would not count; {@link Long#MAX_VALUE} if nothing will be due.
   */
  long untilNextCheckNs() {
    long dueNs = overdueCheckAtNs;
    for (ExecutorLanes executor : executors) {
      if (executor.joined() && !executor.lost) {
        dueNs = Math.min(dueNs, expiresAtNs(executor));
      }
    }
    return dueNs == Long.MAX_VALUE
        ? Long.MAX_VALUE
        : Math.max(1, Math.min(dueNs - nowNs, leases.heartbeatNs()));
  }
}
