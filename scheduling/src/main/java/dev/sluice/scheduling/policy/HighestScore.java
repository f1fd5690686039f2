package dev.sluice.scheduling.policy;

import dev.sluice.scheduling.policy.SchedulerState.CompatibleSet;
import dev.sluice.scheduling.policy.SchedulerState.Group;
import dev.sluice.scheduling.policy.SchedulerState.Job;
import dev.sluice.scheduling.policy.SchedulerState.Lane;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The job that scores highest among the heads, by {@link JobOrder#DEADLINE}, of all groups that can
 * start, and the lane for it. Ties by the same order. A set that can not win is passed over unread.
 */
record HighestScore(Job job, Lane lane) {
  /** The score of all jobs of a set, or one that none of them exceeds. */
  @FunctionalInterface
  interface SetScore {
    double of(CompatibleSet set);
  }

  /** The score of the head of a group on a lane. */
  @FunctionalInterface
  interface HeadScore {
    double of(Group group, long deadlineNs, Lane lane);
  }

  /** For scores that are equal within a set. Null if nothing can start. */
  static @Nullable HighestScore ofSets(SchedulerState state, SetScore score) {
    return find(state, score, null);
  }

  /**
   * Null if nothing can start.
   *
   * @param most what no job of the set exceeds; the closer it is, the more sets are passed over
   */
  static @Nullable HighestScore ofHeads(SchedulerState state, SetScore most, HeadScore score) {
    return find(state, most, score);
  }

  private static @Nullable HighestScore find(
      SchedulerState state, SetScore most, @Nullable HeadScore headScore) {
    Group best = null;
    Lane bestLane = null;
    double bestScore = Double.NEGATIVE_INFINITY;
    long bestDeadlineNs = Long.MAX_VALUE;
    List<? extends CompatibleSet> sets = state.setsThatMayStart();
    for (int i = 0; i < sets.size(); i++) {
      CompatibleSet set = sets.get(i);
      double setScore = most.of(set);
      if (setScore < bestScore
          || (setScore == bestScore && set.earliestDeadlineNs() > bestDeadlineNs)) {
        continue;
      }
      List<? extends Group> groups = set.groups();
      for (int j = 0; j < groups.size(); j++) {
        Group group = groups.get(j);
        Lane lane = group.waiting() == 0 ? null : state.laneFor(group);
        if (lane == null) {
          continue;
        }
        long deadlineNs = group.firstDeadlineNs();
        double score = headScore == null ? setScore : headScore.of(group, deadlineNs, lane);
        if (best == null
            || score > bestScore
            || (score == bestScore && isBefore(group, deadlineNs, best, bestDeadlineNs))) {
          best = group;
          bestLane = lane;
          bestScore = score;
          bestDeadlineNs = deadlineNs;
        }
      }
    }
    return best == null || bestLane == null
        ? null
        : new HighestScore(best.first(JobOrder.DEADLINE), bestLane);
  }

  private static boolean isBefore(Group a, long deadlineA, Group b, long deadlineB) {
    return deadlineA != deadlineB
        ? deadlineA < deadlineB
        : JobOrder.DEADLINE.compare(a.first(JobOrder.DEADLINE), b.first(JobOrder.DEADLINE)) < 0;
  }
}
