package dev.sluice.scheduling.examples;

import dev.sluice.scheduling.policy.Choice;
import dev.sluice.scheduling.policy.JobOrder;
import dev.sluice.scheduling.policy.SchedulerState;
import dev.sluice.scheduling.policy.SchedulerState.CompatibleSet;
import dev.sluice.scheduling.policy.SchedulerState.Group;
import dev.sluice.scheduling.policy.SchedulerState.Job;
import dev.sluice.scheduling.policy.SchedulingPolicy;
import java.util.List;

/** The earliest deadline first, job by job. Jobs that would be late even alone are dropped. */
final class DropLate implements SchedulingPolicy {
  @Override
  public Needs needs() {
    return Needs.of(JobOrder.DEADLINE, Need.DEADLINES, Need.ESTIMATES, Need.DROPPING);
  }

  @Override
  public Choice choose(SchedulerState state) {
    Job earliest = null;
    for (CompatibleSet set : state.sets()) {
      Job head = set.walk(JobOrder.DEADLINE).next();
      if (head.deadlineNs() < state.nowNs() + set.predictedNsMin()) {
        return Choice.drop(List.of(head), "late");
      }
      if (state.laneFor(head.group()) != null
          && (earliest == null || JobOrder.DEADLINE.compare(head, earliest) < 0)) {
        earliest = head;
      }
    }
    if (earliest == null) {
      return state.nothingStartable();
    }
    Group group = earliest.group();
    return Choice.start(List.of(earliest), state.lanesFrom(state.laneFor(group), group));
  }
}
