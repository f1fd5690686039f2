package dev.sluice.scheduler.replay;

import dev.sluice.scheduling.fact.CoreSettings;
import dev.sluice.scheduling.fact.CoreSettings.Admission;
import dev.sluice.scheduling.policies.Policies;
import dev.sluice.scheduling.policy.SchedulingPolicy;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What a log was decided with, and what is asked beside it.
 *
 * @param core settings of the recorded core
 * @param schedulerName name of the recorded policy
 * @param weights weights of the recorded policy that are not its defaults
 * @param asked another choice to ask in each recorded state; null: none
 */
public record ReplaySettings(
    CoreSettings core,
    String schedulerName,
    Map<String, Double> weights,
    @Nullable Asked asked) {
  public ReplaySettings {
    weights = Map.copyOf(weights);
  }

  /** Another policy, other weights or another admission. */
  public record Asked(String schedulerName, Map<String, Double> weights, Admission admission) {
    public Asked {
      weights = Map.copyOf(weights);
    }
  }

  /** Returns these settings with another choice to ask. */
  public ReplaySettings with(Asked newAsked) {
    return new ReplaySettings(core, schedulerName, weights, newAsked);
  }

  SchedulingPolicy newPolicy() {
    return Policies.create(schedulerName, weights);
  }

  @Nullable AskedPolicy newAsked(Tally tally) {
    Asked other = asked;
    return other == null
        ? null
        : new AskedPolicy(
            Policies.create(other.schedulerName(), other.weights()),
            other.admission(),
            core.admission(),
            tally);
  }
}
