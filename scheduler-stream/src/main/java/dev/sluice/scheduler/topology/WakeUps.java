package dev.sluice.scheduler.topology;

/** Takes the core's next wake-up time after each fact, and makes a tick follow at that time. */
interface WakeUps {
  /**
   * Replaces the shard's earlier wake-up.
   *
   * @param timeZeroEpochMs time zero of the run
   * @param atNs time at which the core wants to be woken; {@link Long#MAX_VALUE}: not at all
   */
  void wakeAt(int shard, long timeZeroEpochMs, long atNs);

  /** Notes that a tick of the shard was applied; a call of {@link #wakeAt} follows. */
  void ticked(int shard);

  /** Forgets a shard that this process no longer decides for. */
  void forget(int shard);
}
