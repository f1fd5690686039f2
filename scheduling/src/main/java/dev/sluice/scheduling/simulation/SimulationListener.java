package dev.sluice.scheduling.simulation;

import dev.sluice.contract.event.BatchDispatched;
import dev.sluice.contract.event.Fact;
import dev.sluice.contract.event.LanePrepared;
import dev.sluice.contract.event.Outcome;

/**
 * Receives the records that a live run would have left in its topics: each shard's facts in their
 * order, and the core's answers after the fact that led to them. {@code appendedAtEpochMs} counts
 * from {@link Simulation#TIME_ZERO_EPOCH_MS}, so that equal runs leave equal bytes.
 */
public interface SimulationListener {
  /** Listener that ignores all calls. */
  SimulationListener NONE = new SimulationListener() {};

  default void onFact(Fact fact, int shard, long appendedAtEpochMs) {}

  default void onDispatch(BatchDispatched dispatch, int shard, long appendedAtEpochMs) {}

  default void onPrepared(LanePrepared dispatch, int shard, long appendedAtEpochMs) {}

  default void onOutcome(Outcome outcome, int shard, long appendedAtEpochMs) {}
}
