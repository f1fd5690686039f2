package dev.sluice.scheduler.topology;

import org.jspecify.annotations.Nullable;

/** A shard's facts, to be read once more by a scheduler that takes the shard over. */
interface FactLog {
  /** Receives facts in the order of the log. */
  interface Reader {
    /**
     * Called with each fact.
     *
     * @param bytes the record's value; null: it has none
     */
    void fact(long offset, long appendedAtEpochMs, byte @Nullable [] bytes);
  }

  /**
   * Reads facts that are in the log.
   *
   * @param from offset of the first
   * @param to offset of the last; below {@code from}: there are none to read
   * @throws IllegalStateException if some of them are gone from the log
   */
  void read(int shard, long from, long to, Reader reader);
}
