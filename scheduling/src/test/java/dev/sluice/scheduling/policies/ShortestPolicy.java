package dev.sluice.scheduling.policies;

import static dev.sluice.scheduling.policy.Choice.start;

import dev.sluice.scheduling.policy.Choice;
import dev.sluice.scheduling.policy.JobOrder;
import dev.sluice.scheduling.policy.SchedulerState;
import dev.sluice.scheduling.policy.SchedulerState.CompatibleSet;
import dev.sluice.scheduling.policy.SchedulingPolicy;

/** The shortest predicted service first. Ties by deadline. Passes over what cannot start. */
final class ShortestPolicy implements SchedulingPolicy {
  @Override
  public Needs needs() {
    return Needs.of(JobOrder.DEADLINE, Need.DEADLINES, Need.ESTIMATES, Need.RESERVATIONS);
  }

  @Override
  public Choice choose(SchedulerState state) {
    HighestScore best =
        HighestScore.ofHeads(
            state,
            set -> -(double) set.predictedNsMin(), // what no job of the set exceeds
            (group, deadlineNs, lane) -> -(double) state.predictedNs(group, group.samples(), lane));
    if (best == null) {
      return state.nothingStartable();
    }
    CompatibleSet set = best.job().group().set();
    return start(
        set.fill(best.job(), best.lane(), JobOrder.DEADLINE),
        state.lanesFrom(best.lane(), best.job().group()));
  }
}
