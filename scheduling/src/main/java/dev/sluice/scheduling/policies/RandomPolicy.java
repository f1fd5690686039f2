package dev.sluice.scheduling.policies;

import dev.sluice.scheduling.policy.Choice;
import dev.sluice.scheduling.policy.JobOrder;
import dev.sluice.scheduling.policy.SchedulerState;
import dev.sluice.scheduling.policy.SchedulerState.CompatibleSet;
import dev.sluice.scheduling.policy.SchedulerState.Group;
import dev.sluice.scheduling.policy.SchedulerState.Lane;
import dev.sluice.scheduling.policy.SchedulingPolicy;
import java.util.List;

/**
 * The lower bound of policies: starts a job drawn uniformly from all jobs that can start. Its batch
 * fills in order of entry.
 */
final class RandomPolicy implements SchedulingPolicy {
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
    List<? extends CompatibleSet> sets = state.setsThatMayStart();
    int[] startableInSet = new int[sets.size()];
    int startable = 0;
    for (int i = 0; i < sets.size(); i++) {
      startableInSet[i] = startable(state, sets.get(i));
      startable += startableInSet[i];
    }
    if (startable == 0) {
      return state.nothingStartable();
    }
    int place = (int) Long.remainderUnsigned(state.draw(), startable);
    for (int i = 0; i < sets.size(); i++) {
      if (place < startableInSet[i]) {
        return startOneOf(state, sets.get(i), place);
      }
      place -= startableInSet[i];
    }
    throw new IllegalStateException("the state changed while a job was drawn");
  }

  /** Returns how many jobs of a set may start now, each alone. */
  private static int startable(SchedulerState state, CompatibleSet set) {
    int startable = 0;
    List<? extends Group> groups = state.mayStart(set) ? set.groups() : List.of();
    for (int i = 0; i < groups.size(); i++) {
      startable += state.laneFor(groups.get(i)) == null ? 0 : groups.get(i).waiting();
    }
    return startable;
  }

  private static Choice startOneOf(SchedulerState state, CompatibleSet set, int placeInSet) {
    int place = placeInSet;
    for (Group group : set.groups()) {
      Lane lane = state.laneFor(group);
      if (lane != null) {
        if (place < group.waiting()) {
          return Queues.start(state, group.jobAt(place, JobOrder.ENTRY), lane, JobOrder.ENTRY);
        }
        place -= group.waiting();
      }
    }
    throw new IllegalStateException("fewer jobs of a set can start than were counted");
  }
}
