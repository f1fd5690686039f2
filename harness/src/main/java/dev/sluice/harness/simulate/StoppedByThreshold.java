package dev.sluice.harness.simulate;

import dev.sluice.analytics.abort.AbortFold;
import dev.sluice.contract.event.BatchDispatched;
import dev.sluice.contract.event.Fact;
import dev.sluice.contract.event.Outcome;
import dev.sluice.scheduling.simulation.Simulation.SimulationListener;

/**
 * A reader of a simulation's log that ends the simulation, by a {@link LostThresholdException},
 * with the outcome that loses a threshold.
 */
record StoppedByThreshold(SimulationListener reader, AbortFold abort)
    implements SimulationListener {
  @Override
  public void onFact(Fact fact, int shard, long appendedAtEpochMs) {
    reader.onFact(fact, shard, appendedAtEpochMs);
    abort.onFact(fact, shard, appendedAtEpochMs);
  }

  @Override
  public void onDispatch(BatchDispatched dispatch, int shard, long appendedAtEpochMs) {
    reader.onDispatch(dispatch, shard, appendedAtEpochMs);
    abort.onDispatch(dispatch, shard, appendedAtEpochMs);
  }

  @Override
  public void onOutcome(Outcome outcome, int shard, long appendedAtEpochMs) {
    reader.onOutcome(outcome, shard, appendedAtEpochMs);
    abort.onOutcome(outcome, shard, appendedAtEpochMs);
    String lost = abort.lost();
    if (lost != null) {
      throw new LostThresholdException(lost);
    }
  }
}
