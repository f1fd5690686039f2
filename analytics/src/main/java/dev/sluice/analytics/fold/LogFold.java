package dev.sluice.analytics.fold;

import dev.sluice.contract.event.BatchDispatched;
import dev.sluice.contract.event.Fact;
import dev.sluice.contract.event.LanePrepared;
import dev.sluice.contract.event.Outcome;
import dev.sluice.contract.event.RunRecord;

/**
 * Takes in a run's committed records: each partition's in their order, in any order among
 * partitions. {@code appendedAtEpochMs} is the broker's append time, in milliseconds since 1970;
 * {@code shard} is the partition.
 */
public interface LogFold {
  /** Takes a record of topic runs, which not every fold has a use for. */
  default void onRunRecord(RunRecord entry, long appendedAtEpochMs) {}

  void onFact(Fact fact, int shard, long appendedAtEpochMs);

  void onDispatch(BatchDispatched dispatch, int shard, long appendedAtEpochMs);

  /** Takes a preparation of a lane, which most folds have no use for. */
  default void onPrepared(LanePrepared dispatch, int shard, long appendedAtEpochMs) {}

  void onOutcome(Outcome outcome, int shard, long appendedAtEpochMs);
}
