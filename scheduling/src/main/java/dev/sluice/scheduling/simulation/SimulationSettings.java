package dev.sluice.scheduling.simulation;

import dev.sluice.scheduling.fact.CoreFact.Capability;
import dev.sluice.scheduling.fact.CoreFact.PredictionsPublished;
import dev.sluice.scheduling.fact.CoreSettings;
import dev.sluice.scheduling.policy.SchedulingPolicy;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Settings of a simulation of shards, each with one queue and one executor.
 *
 * @param policies makes each shard's policy
 * @param shards at least 1
 * @param lanes of each executor, at least 1
 * @param tokens the budget that an executor's lanes share; {@link Long#MAX_VALUE}: none
 * @param capabilities what each lane can run
 * @param predictions what each executor publishes when it has joined; null: nothing
 * @param generators at least 1
 * @param durationNs arrivals do not end before this time
 * @param tailEndNs no job is meant to arrive at or after it
 * @param hops what the loop takes from one step to the next
 */
public record SimulationSettings(
    CoreSettings core,
    Supplier<SchedulingPolicy> policies,
    int shards,
    int lanes,
    long tokens,
    String deviceKind,
    List<Capability> capabilities,
    @Nullable PredictionsPublished predictions,
    int generators,
    long durationNs,
    long tailEndNs,
    Hops hops) {
  public SimulationSettings {
    capabilities = List.copyOf(capabilities);
    if (shards < 1 || lanes < 1 || generators < 1) {
      throw new IllegalArgumentException(
          "shards (%d), lanes (%d) and generators (%d) must be at least 1"
              .formatted(shards, lanes, generators));
    }
  }

  /** Returns the name of a shard's executor. */
  static String executorId(int shard) {
    return "executor-" + shard;
  }
}
