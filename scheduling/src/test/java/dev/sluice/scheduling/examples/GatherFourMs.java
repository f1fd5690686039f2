package dev.sluice.scheduling.examples;

import dev.sluice.scheduling.policy.Choice;
import dev.sluice.scheduling.policy.Choice.Cause;
import dev.sluice.scheduling.policy.JobOrder;
import dev.sluice.scheduling.policy.SchedulerState;
import dev.sluice.scheduling.policy.SchedulerState.CompatibleSet;
import dev.sluice.scheduling.policy.SchedulerState.Job;
import dev.sluice.scheduling.policy.SchedulerState.Lane;
import dev.sluice.scheduling.policy.SchedulingPolicy;

/** A set gathers jobs until it is full, or until its oldest job is 4 ms old. */
final class GatherFourMs implements SchedulingPolicy {
  @Override
  public Needs needs() {
    return Needs.of(JobOrder.ENTRY, Need.JOINING);
  }

  @Override
  public Choice choose(SchedulerState state) {
    long untilNs = Long.MAX_VALUE;
    for (CompatibleSet set : state.sets()) {
      Job oldest = set.walk(JobOrder.ENTRY).next();
      Lane lane = state.laneFor(oldest.group());
      long readyAtNs = oldest.spec().intendedAtNs() + 4_000_000;
      if (lane != null && (set.samples() >= set.samplesMax() || readyAtNs <= state.nowNs())) {
        return Choice.start(
            set.fill(oldest, lane, JobOrder.ENTRY), state.lanesFrom(lane, oldest.group()));
      }
      if (lane != null) {
        untilNs = Math.min(untilNs, readyAtNs);
      }
    }
    return untilNs == Long.MAX_VALUE
        ? state.nothingStartable()
        : Choice.nothingUntil(untilNs, Cause.POLICY);
  }
}
