package dev.sluice.executor.dispatch;

/** Faults that a test inflicts on lanes; {@link #NONE} everywhere else. */
@FunctionalInterface
public interface LaneFaults {
  LaneFaults NONE = lane -> {};

  /**
   * Inflicts a fault. Called on a lane's thread within the service time of each batch, before its
   * inference. A call that does not return makes the lane hang; a call that throws fails the batch.
   *
   * @param lane index within its executor
   */
  void beforeInference(int lane);
}
