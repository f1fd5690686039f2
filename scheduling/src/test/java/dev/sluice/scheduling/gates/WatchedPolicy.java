package dev.sluice.scheduling.gates;

import dev.sluice.scheduling.policies.Policies;
import dev.sluice.scheduling.policy.Memory;
import dev.sluice.scheduling.policy.SchedulerState;
import dev.sluice.scheduling.policy.SchedulingPolicy;
import dev.sluice.scheduling.policy.SchedulingPolicy.Happening;
import java.util.Map;

/** A registered policy, whose answers a test looks at. */
abstract class WatchedPolicy implements SchedulingPolicy {
  final SchedulingPolicy policy;

  WatchedPolicy(String name) {
    policy = Policies.create(name, Map.of());
  }

  @Override
  public Needs needs() {
    return policy.needs();
  }

  @Override
  public void remember(Memory memory, Happening what, SchedulerState state) {
    policy.remember(memory, what, state);
  }
}
