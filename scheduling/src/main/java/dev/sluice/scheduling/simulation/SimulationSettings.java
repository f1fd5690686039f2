package dev.sluice.scheduling.simulation;

import dev.sluice.contract.event.ExecutorReported.Capability;
import dev.sluice.contract.event.PredictionsPublished;
import dev.sluice.contract.event.RunStarted;
import dev.sluice.scheduling.driver.CoreSettings;
import dev.sluice.scheduling.policy.SchedulingPolicy;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Settings of a simulation of shards, each with one queue and one executor.
 *
 * @param policies makes each shard's policy
 * @param lanes of each executor, at least 1, as shards and generators are
 * @param started the run's beginning, whose time zero is {@link Simulation#TIME_ZERO_EPOCH_MS}
 * @param tokens the budget that an executor's lanes share; null: none
 * @param emulated whether completions hold the intended duration of their batches
 * @param capabilities what each lane can run
 * @param predictions what each executor publishes when it has joined; null: nothing
 * @param durationNs arrivals do not end before this time
 * @param tailEndNs no job is meant to arrive at or after it
 * @param hops what the loop takes from one step to the next
 */
public record SimulationSettings(
    RunStarted started,
    CoreSettings core,
    Supplier<SchedulingPolicy> policies,
    int shards,
    int lanes,
    @Nullable Long tokens,
    boolean emulated,
    String deviceKind,
    List<Capability> capabilities,
    @Nullable PredictionsPublished predictions,
    int generators,
    long durationNs,
    long tailEndNs,
    Hops hops) {
  public SimulationSettings {
    if (started.timeZeroEpochMs() != Simulation.TIME_ZERO_EPOCH_MS) {
      throw new IllegalArgumentException("a simulation begins at " + Simulation.TIME_ZERO_EPOCH_MS);
    }
    capabilities = List.copyOf(capabilities);
    if (shards < 1 || lanes < 1 || generators < 1) {
      throw new IllegalArgumentException(
          "shards (%d), lanes (%d) and generators (%d) must be at least 1"
              .formatted(shards, lanes, generators));
    }
  }

  static String executorId(int shard) {
    return "executor-" + shard;
  }
}
