package dev.sluice.scheduling.examples;

import dev.sluice.scheduling.policy.Choice;
import dev.sluice.scheduling.policy.JobOrder;
import dev.sluice.scheduling.policy.SchedulerState;
import dev.sluice.scheduling.policy.SchedulerState.CompatibleSet;
import dev.sluice.scheduling.policy.SchedulerState.Job;
import dev.sluice.scheduling.policy.SchedulerState.Lane;
import dev.sluice.scheduling.policy.SchedulingPolicy;

/**
 * Interactive jobs first. Where no lane is idle, one takes the place of a batch of another class.
 */
final class MakeWay implements SchedulingPolicy {
  @Override
  public Needs needs() {
    return Needs.of(JobOrder.ENTRY, Need.JOINING, Need.CANCELLING);
  }

  @Override
  public Choice choose(SchedulerState state) {
    CompatibleSet next = null;
    for (CompatibleSet set : state.sets()) {
      if (next == null || (set.jobClass().interactive() && !next.jobClass().interactive())) {
        next = set;
      }
    }
    Job first = next.walk(JobOrder.ENTRY).next();
    Lane idle = state.laneFor(first.group());
    if (idle != null) {
      return Choice.start(
          next.fill(first, idle, JobOrder.ENTRY), state.lanesFrom(idle, first.group()));
    }
    for (Lane lane : state.lanes()) {
      if (next.jobClass().interactive()
          && lane.mayCancel()
          && !lane.running().set().jobClass().interactive()
          && lane.running().decidedAtNs() < state.nowNs()
          && state.canRun(lane, next)) {
        return Choice.cancel(lane);
      }
    }
    return state.nothingStartable();
  }
}
