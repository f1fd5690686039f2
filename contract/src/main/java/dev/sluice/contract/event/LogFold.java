package dev.sluice.contract.event;

/**
 * Takes in a run's committed records: each partition's in their order, in any order among
 * partitions. {@code appendedAtEpochMs} is the broker's append time, in milliseconds since 1970;
 * {@code shard} is the partition. A simulation hands over what a live run would have left in its
 * topics: each shard's facts in their order, and the core's answers after the fact that led to
 * them.
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
