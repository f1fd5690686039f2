package dev.sluice.analytics.fold;

import dev.sluice.contract.event.BatchDispatched;
import dev.sluice.contract.event.Fact;
import dev.sluice.contract.event.Outcome;
import dev.sluice.contract.event.RunRecord;

/**
 * Takes in a run's committed records: those of one partition in their order, whatever the order
 * among partitions. {@code appendedAtEpochMs} is when the broker appended the record, milliseconds
 * since 1970; {@code shard} the partition.
 */
public interface LogFold {
  void onRunRecord(RunRecord entry, long appendedAtEpochMs);

  void onFact(Fact fact, int shard, long appendedAtEpochMs);

  void onDispatch(BatchDispatched dispatch, int shard, long appendedAtEpochMs);

  void onOutcome(Outcome outcome, int shard, long appendedAtEpochMs);
}
