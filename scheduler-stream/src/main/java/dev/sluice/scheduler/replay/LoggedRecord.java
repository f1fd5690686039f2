package dev.sluice.scheduler.replay;

import dev.sluice.contract.event.BatchDispatched;
import dev.sluice.contract.event.Fact;
import dev.sluice.contract.event.RunStarted;
import org.jspecify.annotations.Nullable;

/** A record of a log as far as a replay reads it. */
public sealed interface LoggedRecord {
  /** Returns the partition, which is the shard. */
  int shard();

  /** Returns the offset in the partition. */
  long offset();

  /**
   * A record of {@code facts}.
   *
   * @param fact fact for the core; null: the bytes are no event, so that the core learns nothing
   * @param run the beginning of the run that it tells of; null: another fact
   */
  record LoggedFact(
      int shard, long offset, long appendedAtEpochMs, @Nullable Fact fact, @Nullable RunStarted run)
      implements LoggedRecord {}

  /**
   * A record of {@code dispatches}.
   *
   * @param event null: the bytes are no dispatch
   */
  @SuppressWarnings("ArrayRecordComponent") // compared by nobody, and copied for nobody
  record LoggedDispatch(int shard, long offset, byte[] value, @Nullable BatchDispatched event)
      implements LoggedRecord {}

  /** A record of {@code outcomes}. */
  @SuppressWarnings("ArrayRecordComponent") // compared by nobody, and copied for nobody
  record LoggedOutcome(int shard, long offset, byte[] value) implements LoggedRecord {}

  /**
   * The beginning or the end of the run, from {@code runs}.
   *
   * @param ended whether it is the end
   * @param whole whether the run came to its end, and was not given up
   */
  record LoggedRun(int shard, long offset, boolean ended, boolean whole) implements LoggedRecord {}
}
