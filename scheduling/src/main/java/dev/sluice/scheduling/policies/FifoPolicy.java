package dev.sluice.scheduling.policies;

import static dev.sluice.scheduling.policy.Choice.nothing;

import dev.sluice.scheduling.policy.Choice;
import dev.sluice.scheduling.policy.JobOrder;
import dev.sluice.scheduling.policy.SchedulerState;
import dev.sluice.scheduling.policy.SchedulerState.Group;
import dev.sluice.scheduling.policy.SchedulerState.Job;
import dev.sluice.scheduling.policy.SchedulerState.Lane;
import dev.sluice.scheduling.policy.SchedulingPolicy;

/**
 * First in, first out: the oldest waiting job starts on the first idle lane that can hold it. While
 * it cannot start, nothing does. Its batch fills in order of entry.
 */
final class FifoPolicy implements SchedulingPolicy {
  @Override
  public Needs needs() {
    return Needs.of(JobOrder.ARRIVAL);
  }

  @Override
  public Choice choose(SchedulerState state) {
    Job oldest = state.oldest();
    if (oldest == null) {
      return Choice.NOTHING_WAITS;
    }
    Group group = oldest.group();
    Lane lane = state.laneFor(group);
    if (lane == null) {
      return nothing(state.blockedBy(group)); // nobody overtakes
    }
    return Queues.start(state, oldest, lane, JobOrder.ENTRY);
  }
}
