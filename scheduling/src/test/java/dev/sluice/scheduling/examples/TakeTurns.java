package dev.sluice.scheduling.examples;

import dev.sluice.scheduling.policy.Choice;
import dev.sluice.scheduling.policy.JobOrder;
import dev.sluice.scheduling.policy.Memory;
import dev.sluice.scheduling.policy.SchedulerState;
import dev.sluice.scheduling.policy.SchedulerState.CompatibleSet;
import dev.sluice.scheduling.policy.SchedulerState.Group;
import dev.sluice.scheduling.policy.SchedulerState.Lane;
import dev.sluice.scheduling.policy.SchedulingPolicy;
import dev.sluice.scheduling.policy.SchedulingPolicy.Happening;

/** Models take turns, whatever the class: the one that was started longest ago goes first. */
final class TakeTurns implements SchedulingPolicy {
  @Override
  public Needs needs() {
    return Needs.of(JobOrder.ENTRY, Need.MEMORY, Need.SETS_OF_ALL_CLASSES);
  }

  @Override
  public void remember(Memory memory, Happening what, SchedulerState state) {
    if (what instanceof Happening.Applied applied
        && applied.choice() instanceof Choice.Start start) {
      double turn = memory.get("turn", 0) + 1;
      memory.set("turn", turn);
      memory.set("last/" + start.batch().get(0).group().set().name(), turn);
    }
  }

  @Override
  public Choice choose(SchedulerState state) {
    Group next = null;
    double longestAgo = Double.POSITIVE_INFINITY;
    for (CompatibleSet set : state.sets()) {
      Group group = state.firstStartable(set, JobOrder.ENTRY);
      double last = state.remembered("last/" + set.name(), 0);
      if (group != null && last < longestAgo) {
        next = group;
        longestAgo = last;
      }
    }
    if (next == null) {
      return state.nothingStartable();
    }
    Lane lane = state.laneFor(next);
    return Choice.start(
        next.set().fill(next.first(JobOrder.ENTRY), lane, JobOrder.ENTRY),
        state.lanesFrom(lane, next));
  }
}
