package dev.sluice.cli.added;

import dev.sluice.scheduling.policies.PolicyEntry;
import dev.sluice.scheduling.policy.Choice;
import dev.sluice.scheduling.policy.JobOrder;
import dev.sluice.scheduling.policy.SchedulerState;
import dev.sluice.scheduling.policy.SchedulingPolicy;
import java.util.Map;

/** Last come, first served, by a policy that says that it needs upper bounds of service times. */
public final class CertainLastCome implements PolicyEntry, SchedulingPolicy {
  @Override
  public String name() {
    return "certain_last_come";
  }

  @Override
  public SchedulingPolicy create(Map<String, Double> weights) {
    return this;
  }

  @Override
  public Needs needs() {
    return Needs.of(JobOrder.ENTRY, Need.ESTIMATES, Need.BOUNDS);
  }

  @Override
  public Choice choose(SchedulerState state) {
    return new LastCome().choose(state);
  }
}
