package dev.sluice.scheduling.examples;

import dev.sluice.scheduling.policy.Choice;
import dev.sluice.scheduling.policy.Choice.Cause;
import dev.sluice.scheduling.policy.JobOrder;
import dev.sluice.scheduling.policy.SchedulerState;
import dev.sluice.scheduling.policy.SchedulerState.CompatibleSet;
import dev.sluice.scheduling.policy.SchedulerState.Group;
import dev.sluice.scheduling.policy.SchedulerState.Lane;
import dev.sluice.scheduling.policy.SchedulerState.Resident;
import dev.sluice.scheduling.policy.SchedulingPolicy;
import java.util.List;

/**
 * Batches start where their model is loaded. A lane that loads nothing loads the model of the
 * oldest job that no lane holds, in place of models that no batch needs.
 */
final class LoadAhead implements SchedulingPolicy {
  @Override
  public Needs needs() {
    return Needs.of(JobOrder.ENTRY, Need.RESIDENCY);
  }

  @Override
  public Choice choose(SchedulerState state) {
    for (CompatibleSet set : state.sets()) {
      Group group = set.walk(JobOrder.ENTRY).next().group();
      for (Lane lane : state.idleLanes()) {
        if (state.isLoaded(set, lane) && state.mayStartOn(lane, group)) {
          return Choice.start(
              set.fill(group.first(JobOrder.ENTRY), lane, JobOrder.ENTRY),
              state.lanesFrom(lane, group));
        }
      }
    }
    for (CompatibleSet set : state.sets()) {
      if (state.lanes().stream().allMatch(lane -> state.resident(set, lane) == null)) {
        for (Lane lane : state.lanes()) {
          List<? extends Resident> free =
              lane.residents().stream().filter(model -> !model.isInUse()).toList();
          boolean loads = lane.residents().stream().anyMatch(model -> !model.isLoaded());
          long bytes = lane.freeBytes() + free.stream().mapToLong(Resident::bytes).sum();
          if (!loads && bytes >= state.memoryBytes(set, lane)) {
            return Choice.prepare(lane, set, lane.freeBytes() > 0 ? List.of() : free);
          }
        }
      }
    }
    return Choice.nothing(Cause.POLICY);
  }
}
