package dev.sluice.scheduling.policies;

import dev.sluice.scheduling.policy.JobOrder;
import dev.sluice.scheduling.policy.SchedulerState;
import dev.sluice.scheduling.policy.SchedulerState.CompatibleSet;
import dev.sluice.scheduling.policy.SchedulerState.Group;
import dev.sluice.scheduling.policy.SchedulerState.Job;
import dev.sluice.scheduling.policy.SchedulerState.Lane;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The job that scores highest among the heads, by {@link JobOrder#DEADLINE}, of all groups that can
 * start, and the lane for it. Ties are broken by that order. A set that cannot win is not read.
 */
record HighestScore(Job job, Lane lane) {
  /** Score of all jobs of a set, or an upper bound of their scores. */
  @FunctionalInterface
  interface SetScore {
    double of(CompatibleSet set);
  }

  /** Score of the head of a group on a lane. */
  @FunctionalInterface
  interface HeadScore {
    double of(Group group, long deadlineNs, Lane lane);
  }

  /** Finds the highest score where scores are equal within a set; null if nothing can start. */
  static @Nullable HighestScore ofSets(SchedulerState state, SetScore score) {
    return ofHeads(state, score, (group, deadlineNs, lane) -> score.of(group.set()));
  }

  /**
   * Finds the highest score of the heads of groups; null if nothing can start.
   *
   * @param most upper bound of the scores of a set's jobs; the closer it is, the more sets are
   *     skipped
   */
  static @Nullable HighestScore ofHeads(SchedulerState state, SetScore most, HeadScore score) {
    Group best = null;
    Lane bestLane = null;
    double bestScore = Double.NEGATIVE_INFINITY;
    List<? extends CompatibleSet> sets = state.setsThatMayStart();
    for (int i = 0; i < sets.size(); i++) {
      CompatibleSet set = sets.get(i);
      if (!state.mayStart(set) || cannotWin(set, most.of(set), best, bestScore)) {
        continue;
      }
      List<? extends Group> groups = set.groups();
      for (int j = 0; j < groups.size(); j++) {
        Group group = groups.get(j);
        Lane lane = state.laneFor(group);
        if (lane == null) {
          continue;
        }
        double groupScore = score.of(group, group.firstKey(JobOrder.DEADLINE), lane);
        if (best == null
            || groupScore > bestScore
            || (groupScore == bestScore && isBefore(group, best))) {
          best = group;
          bestLane = lane;
          bestScore = groupScore;
        }
      }
    }
    return best == null || bestLane == null
        ? null
        : new HighestScore(best.first(JobOrder.DEADLINE), bestLane);
  }

  private static boolean cannotWin(
      CompatibleSet set, double most, @Nullable Group best, double bestScore) {
    return best != null
        && (most < bestScore
            || (most == bestScore
                && set.firstKey(JobOrder.DEADLINE) > best.firstKey(JobOrder.DEADLINE)));
  }

  private static boolean isBefore(Group a, Group b) {
    return JobOrder.DEADLINE.compare(a.first(JobOrder.DEADLINE), b.first(JobOrder.DEADLINE)) < 0;
  }
}
