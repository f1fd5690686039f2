package dev.sluice.executor.lane;

/** Receives the progress of the warm-up, one call at a time, from any thread. */
@FunctionalInterface
public interface WarmUpProgress {
  /**
   * Called when one more step is done.
   *
   * @param done steps so far, from 1
   * @param total number of all steps: the first lane has one for each model and samples count,
   *     every other lane one for each model
   * @param what the step, for people
   */
  void warmed(int done, int total, String what);
}
