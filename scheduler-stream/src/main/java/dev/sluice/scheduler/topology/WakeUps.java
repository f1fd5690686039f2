package dev.sluice.scheduler.topology;

/** Takes the core's next wake-up time after each fact, and sees to it that a tick follows. */
interface WakeUps {
  /**
   * Replaces the shard's earlier wake-up.
   *
   * @param timeZeroEpochMs time zero of the run
   * @param atNs when the core wants to be woken; {@link Long#MAX_VALUE}: not at all
   */
  void wakeAt(int shard, long timeZeroEpochMs, long atNs);

  /** A tick of the shard was applied; {@link #wakeAt} follows. */
  void ticked(int shard);

  /** The shard is no longer this process's. */
  void forget(int shard);
}
