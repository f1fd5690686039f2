package dev.sluice.executor.lane;

/** Told how far the warm-up is, one call at a time, from any thread. */
@FunctionalInterface
public interface WarmUpProgress {
  /**
   * One more step is done.
   *
   * @param done steps so far, from 1
   * @param total steps in all: the first lane has one for each model and samples count, the others
   *     one for each model
   * @param what the step, for people
   */
  void warmed(int done, int total, String what);
}
