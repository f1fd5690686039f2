package dev.sluice.scheduling.policies;

import dev.sluice.scheduling.policy.Choice;
import dev.sluice.scheduling.policy.JobClass;
import dev.sluice.scheduling.policy.JobOrder;
import dev.sluice.scheduling.policy.SchedulerState;
import dev.sluice.scheduling.policy.SchedulerState.Job;
import dev.sluice.scheduling.policy.SchedulerState.Lane;
import dev.sluice.scheduling.policy.SchedulingPolicy;
import java.util.Map;

/**
 * The lowest priority number first, within it the earliest deadline first (Liu and Layland,
 * "Scheduling algorithms for multiprogramming in a hard-real-time environment", JACM 1973), without
 * preemption. Passes over what cannot start.
 */
final class PrioritySloPolicy implements SchedulingPolicy {
  @Override
  public Needs needs() {
    return Needs.of(JobOrder.DEADLINE, Need.DEADLINES, Need.RESERVATIONS);
  }

  @Override
  public boolean isWorkConserving() {
    return true;
  }

  @Override
  public Choice choose(SchedulerState state) {
    HighestScore best = HighestScore.ofSets(state, set -> score(set.jobClass()));
    if (best == null) {
      return state.nothingStartable();
    }
    return Queues.start(state, best.job(), best.lane(), JobOrder.DEADLINE);
  }

  @Override
  public Map<String, Double> scoreTerms(SchedulerState state, Job job, Lane lane) {
    return Map.of("priority", score(job.group().jobClass()));
  }

  private static double score(JobClass jobClass) {
    return -jobClass.priority();
  }
}
