package dev.sluice.scheduling.examples;

import dev.sluice.scheduling.policy.Choice;
import dev.sluice.scheduling.policy.JobOrder;
import dev.sluice.scheduling.policy.SchedulerState;
import dev.sluice.scheduling.policy.SchedulerState.CompatibleSet;
import dev.sluice.scheduling.policy.SchedulerState.Job;
import dev.sluice.scheduling.policy.SchedulerState.Lane;
import dev.sluice.scheduling.policy.SchedulingPolicy;

/** At once the largest batch that ends in half of its first job's promise, with little doubt. */
final class HalfOfThePromise implements SchedulingPolicy {
  @Override
  public Needs needs() {
    return Needs.of(JobOrder.ENTRY, Need.DEADLINES, Need.ESTIMATES, Need.BOUNDS, Need.JOINING);
  }

  @Override
  public Choice choose(SchedulerState state) {
    for (CompatibleSet set : state.sets()) {
      Job first = set.walk(JobOrder.ENTRY).next();
      Lane lane = state.laneFor(first.group());
      if (lane != null) {
        long halfNs = first.spec().sloNs() / 2;
        int samples = Math.max(1, state.largestWithin(set, lane, halfNs)); // by the mean
        while (samples > 1 && state.boundNs(set, samples, lane) > halfNs) {
          samples--; // by the bound, predictor.quantile
        }
        return Choice.start(
            set.fill(first, lane, JobOrder.ENTRY, samples), state.lanesFrom(lane, first.group()));
      }
    }
    return state.nothingStartable();
  }
}
