package dev.sluice.producer.generator;

import dev.sluice.contract.event.RunEnded;
import java.util.List;

/** Receives the course of a run, on the thread of {@link JobGenerators#run()}. */
public interface GeneratorListener {
  /**
   * Called once if the first look at the log finds that lanes are missing.
   *
   * @param missing one text per shard and model
   */
  default void waitingForLanes(List<String> missing) {}

  /**
   * Called when the run's start is in the log; the first job is sent after time zero, which is
   * soon.
   */
  void runStarted(long timeZeroEpochMs);

  /** Called when no further job will be sent; outcomes of sent jobs are still awaited. */
  void arrivalsEnding(EndOfArrivals reason);

  /** Called when every sent job has its outcome and the run's end is in the log. */
  void runEnded(RunEnded ended);
}
