package dev.sluice.producer.generator;

import dev.sluice.contract.event.RunEnded;
import java.util.List;

/** Told of a run's course, on the thread of {@link JobGenerators#run()}. */
public interface GeneratorListener {
  /**
   * Lanes are missing; told once, unless the first look at the log finds all.
   *
   * @param missing a text per shard and model
   */
  default void waitingForLanes(List<String> missing) {}

  /** The run's start is in the log; the first job is sent after time zero, just ahead. */
  void runStarted(long timeZeroEpochMs);

  /** No further job will be sent; what is under way is waited for. */
  void arrivalsEnding(EndOfArrivals reason);

  /** Every job sent has its outcome, and the run's end is in the log. */
  void runEnded(RunEnded ended);
}
