package dev.sluice.scheduling.policy;

import static dev.sluice.scheduling.policy.Choice.start;

import dev.sluice.scheduling.policy.SchedulerState.Group;
import dev.sluice.scheduling.policy.SchedulerState.Job;
import dev.sluice.scheduling.policy.SchedulerState.Lane;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The lowest priority number first, within it the earliest deadline first (Liu and Layland,
 * "Scheduling algorithms for multiprogramming in a hard-real-time environment", JACM 1973), without
 * preemption. Passes over what cannot start.
 */
final class PrioritySloPolicy implements SchedulingPolicy {
  @Override
  public Needs needs() {
    return new Needs(Set.of(JobOrder.DEADLINE), true, false);
  }

  @Override
  public Choice choose(SchedulerState state) {
    if (!state.hasIdleLane()) {
      return state.nothingStartable();
    }
    @Nullable Job best = null;
    @Nullable Lane bestLane = null;
    for (Group group : state.groups()) {
      Job head = group.first(JobOrder.DEADLINE);
      if (best == null || isBefore(head, best)) {
        Lane lane = state.laneFor(group);
        if (lane != null) {
          best = head;
          bestLane = lane;
        }
      }
    }
    if (best == null || bestLane == null) {
      return state.nothingStartable();
    }
    return start(best.group().set().fill(best, bestLane, JobOrder.DEADLINE), List.of(bestLane));
  }

  private static boolean isBefore(Job a, Job b) {
    int byPriority =
        Integer.compare(a.group().jobClass().priority(), b.group().jobClass().priority());
    return byPriority != 0 ? byPriority < 0 : JobOrder.DEADLINE.compare(a, b) < 0;
  }
}
