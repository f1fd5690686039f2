package dev.sluice.cli.added;

import dev.sluice.scheduling.policies.PolicyEntry;
import dev.sluice.scheduling.policy.Choice;
import dev.sluice.scheduling.policy.JobOrder;
import dev.sluice.scheduling.policy.SchedulerState;
import dev.sluice.scheduling.policy.SchedulerState.CompatibleSet;
import dev.sluice.scheduling.policy.SchedulerState.Group;
import dev.sluice.scheduling.policy.SchedulerState.Job;
import dev.sluice.scheduling.policy.SchedulerState.Lane;
import dev.sluice.scheduling.policy.SchedulingPolicy;
import java.util.Map;

/** Last come, first served: a policy that a test adds. */
public final class LastCome implements PolicyEntry, SchedulingPolicy {
  @Override
  public String name() {
    return "last_come";
  }

  @Override
  public SchedulingPolicy create(Map<String, Double> weights) {
    return this;
  }

  @Override
  public Needs needs() {
    return Needs.of(JobOrder.ENTRY);
  }

  @Override
  public Choice choose(SchedulerState state) {
    Job last = null;
    for (CompatibleSet set : state.setsThatMayStart()) {
      for (Group group : set.groups()) {
        Job newest = group.jobAt(group.waiting() - 1, JobOrder.ENTRY);
        if (state.laneFor(group) != null && (last == null || newest.entry() > last.entry())) {
          last = newest;
        }
      }
    }
    Lane lane = last == null ? null : state.laneFor(last.group());
    return last == null || lane == null
        ? state.nothingStartable()
        : Choice.start(
            last.group().set().fill(last, lane, JobOrder.ENTRY),
            state.lanesFrom(lane, last.group()));
  }
}
