package dev.sluice.scheduling.core;

import dev.sluice.scheduling.driver.CoreEntity;
import dev.sluice.scheduling.policy.SchedulingPolicy;
import dev.sluice.scheduling.policy.SchedulingPolicy.Happening;
import dev.sluice.scheduling.policy.SchedulingPolicy.Need;
import dev.sluice.scheduling.state.CoreState;
import java.util.List;

/** Tells a policy that has a memory what happens, and keeps the memory in snapshots. */
final class Remembering {
  private final CoreState state;
  private final SchedulingPolicy policy;
  final boolean remembers;

  Remembering(CoreState state, SchedulingPolicy policy) {
    this.state = state;
    this.policy = policy;
    this.remembers = policy.needs().has(Need.MEMORY);
  }

  void take(Happening what) {
    if (remembers) {
      policy.remember(state.memory, what, state);
    }
  }

  void addTo(List<CoreEntity> entities) {
    if (remembers) {
      entities.add(new CoreEntity.Remembered(policy.memoryVersion(), state.memory.values()));
    }
  }

  void restore(CoreEntity.Remembered entity) {
    if (!remembers || entity.version() != policy.memoryVersion()) {
      throw new IllegalArgumentException(
          "a memory of version (%d) is of another policy, or of another version of it"
              .formatted(entity.version()));
    }
    entity.numbers().forEach(state.memory::set);
  }
}
