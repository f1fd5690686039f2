package dev.sluice.scheduling.policies;

import dev.sluice.scheduling.policy.Choice;
import dev.sluice.scheduling.policy.JobOrder;
import dev.sluice.scheduling.policy.SchedulerState;
import dev.sluice.scheduling.policy.SchedulerState.CompatibleSet;
import dev.sluice.scheduling.policy.SchedulerState.Job;
import dev.sluice.scheduling.policy.SchedulerState.Lane;
import dev.sluice.scheduling.policy.SchedulingPolicy;
import java.util.List;

/**
 * The house's baseline: never waits. The earliest deadline of all that waits starts at once, with
 * as many more jobs of its set as end by that deadline. Jobs that could not meet theirs even alone
 * are dropped. In a run of one model this is Shepherd (NSDI 2023) without preemption.
 */
final class EagerEdfPolicy implements SchedulingPolicy {
  @Override
  public Needs needs() {
    return Needs.of(JobOrder.DEADLINE, Need.DEADLINES, Need.ESTIMATES, Need.JOINING, Need.DROPPING);
  }

  @Override
  public Choice choose(SchedulerState state) {
    Choice drop = Queues.dropLate(state);
    if (drop != null) {
      return drop;
    }
    Job earliest = null;
    Lane lane = null;
    List<? extends CompatibleSet> sets = state.sets();
    for (int i = 0; i < sets.size(); i++) {
      Job head = Queues.first(sets.get(i), JobOrder.DEADLINE);
      if (earliest == null || JobOrder.DEADLINE.compare(head, earliest) < 0) {
        Lane found =
            Queues.longestIdle(state, head.group(), head.deadlineNs() - state.nowNs(), false);
        if (found != null) {
          earliest = head;
          lane = found;
        }
      }
    }
    if (earliest == null || lane == null) {
      return Queues.nothingUntil(state, Queues.nextLateNs(state));
    }
    int most =
        state.largestWithin(earliest.group().set(), lane, earliest.deadlineNs() - state.nowNs());
    return Queues.start(state, earliest, lane, JobOrder.DEADLINE, most);
  }
}
