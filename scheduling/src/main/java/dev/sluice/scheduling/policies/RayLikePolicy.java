package dev.sluice.scheduling.policies;

import dev.sluice.scheduling.policy.Choice;
import dev.sluice.scheduling.policy.JobOrder;
import dev.sluice.scheduling.policy.SchedulerState;
import dev.sluice.scheduling.policy.SchedulerState.CompatibleSet;
import dev.sluice.scheduling.policy.SchedulerState.Group;
import dev.sluice.scheduling.policy.SchedulerState.Lane;
import dev.sluice.scheduling.policy.SchedulingPolicy;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A ready queue, scanned from its head: the first job by entry that can start is started; a job
 * that cannot is passed over and keeps its place. A job goes to the first idle lane by id that
 * already holds its workload, else to the lane that has been idle the longest; a gang goes to the
 * first of as many idle neighbours as it needs. This is the rule of the baseline scheduler of
 * GSwarm's workflows, after Ray.
 */
final class RayLikePolicy implements SchedulingPolicy {
  @Override
  public Needs needs() {
    return Needs.of(JobOrder.ENTRY, Need.RESERVATIONS);
  }

  @Override
  public boolean isWorkConserving() {
    return true;
  }

  @Override
  public Choice choose(SchedulerState state) {
    Group first = firstStartable(state);
    Lane anyLane = first == null ? null : state.laneFor(first);
    if (first == null || anyLane == null) {
      return state.nothingStartable();
    }
    Lane lane = laneFor(state, first, anyLane);
    return Queues.start(state, first.first(JobOrder.ENTRY), lane, JobOrder.ENTRY);
  }

  private static @Nullable Group firstStartable(SchedulerState state) {
    Group first = null;
    long firstEntry = Long.MAX_VALUE;
    List<? extends CompatibleSet> sets = state.setsThatMayStart();
    for (int i = 0; i < sets.size(); i++) {
      CompatibleSet set = sets.get(i);
      if (set.firstKey(JobOrder.ENTRY) > firstEntry) {
        continue; // all of its jobs come later
      }
      Group group = state.firstStartable(set, JobOrder.ENTRY);
      if (group != null && group.firstKey(JobOrder.ENTRY) < firstEntry) {
        first = group;
        firstEntry = group.firstKey(JobOrder.ENTRY);
      }
    }
    return first;
  }

  /**
   * @param anyLane lane on which the job may start in any case
   */
  private static Lane laneFor(SchedulerState state, Group group, Lane anyLane) {
    if (group.lanesNeeded() > 1 || !anyLane.idle()) {
      return anyLane;
    }
    Lane idleLongest = anyLane;
    List<? extends Lane> idle = state.idleLanes();
    for (int i = 0; i < idle.size(); i++) {
      Lane lane = idle.get(i);
      if (state.mayStartOn(lane, group)) {
        if (group.workload().equals(lane.resident())) {
          return lane;
        }
        idleLongest = lane.idleSinceNs() < idleLongest.idleSinceNs() ? lane : idleLongest;
      }
    }
    return idleLongest;
  }
}
