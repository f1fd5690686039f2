package dev.sluice.scheduling.policy;

import static dev.sluice.scheduling.policy.Choice.start;

import dev.sluice.scheduling.policy.SchedulerState.Group;
import dev.sluice.scheduling.policy.SchedulerState.Job;
import dev.sluice.scheduling.policy.SchedulerState.Lane;
import java.util.List;
import java.util.Set;

/**
 * The bound below: a uniformly drawn job of those that can start. Its batch fills in order of
 * entry.
 */
final class RandomPolicy implements SchedulingPolicy {
  @Override
  public Needs needs() {
    return new Needs(Set.of(JobOrder.ENTRY), false, false);
  }

  @Override
  public Choice choose(SchedulerState state) {
    if (!state.hasIdleLane()) {
      return state.nothingStartable();
    }
    int startable = 0;
    for (Group group : state.groups()) {
      if (state.laneFor(group) != null) {
        startable += group.waiting();
      }
    }
    if (startable == 0) {
      return state.nothingStartable();
    }
    int place = (int) Long.remainderUnsigned(state.draw(), startable);
    for (Group group : state.groups()) {
      Lane lane = state.laneFor(group);
      if (lane != null) {
        if (place < group.waiting()) {
          Job job = group.jobAt(place, JobOrder.ENTRY);
          return start(group.set().fill(job, lane, JobOrder.ENTRY), List.of(lane));
        }
        place -= group.waiting();
      }
    }
    throw new IllegalStateException("the state changed while a job was drawn");
  }
}
