package dev.sluice.scheduling.policy;

import dev.sluice.scheduling.policy.SchedulerState.Group;
import dev.sluice.scheduling.policy.SchedulerState.Job;
import dev.sluice.scheduling.policy.SchedulerState.Lane;
import dev.sluice.scheduling.policy.SchedulerState.Score;
import org.jspecify.annotations.Nullable;

/**
 * The job that scores highest among the heads, by {@link JobOrder#DEADLINE}, of all groups that can
 * start, and the lane for it. Ties by the same order.
 */
record HighestScore(Job job, Lane lane) {
  /** Null if nothing can start. */
  static @Nullable HighestScore in(SchedulerState state, Score score) {
    if (!state.hasIdleLane()) {
      return null;
    }
    HighestScore best = null;
    double bestScore = Double.NEGATIVE_INFINITY;
    for (Group group : state.groups()) {
      Lane lane = state.laneFor(group);
      if (lane == null) {
        continue;
      }
      Job head = group.first(JobOrder.DEADLINE);
      double headScore = score.of(head, lane);
      if (best == null
          || headScore > bestScore
          || (headScore == bestScore && JobOrder.DEADLINE.compare(head, best.job) < 0)) {
        best = new HighestScore(head, lane);
        bestScore = headScore;
      }
    }
    return best;
  }
}
