package dev.sluice.contract.log;

import java.util.Arrays;
import java.util.List;

/**
 * Order of a log's lines: by time, then topic, partition and offset. The time of a record is the
 * largest append time so far in its partition, so that no partition is torn apart where the
 * broker's clock stepped back. A decision stands behind the fact that it rests on, for {@code
 * facts} comes before {@code dispatches} and {@code outcomes}. Not safe for threads.
 */
public final class LogOrder {
  /** Topics of a run without its prefix, in the order of records of one time. */
  public static final List<String> TOPICS =
      List.of("runs", "facts", "dispatches", "outcomes", "metrics", "dead-letters");

  /** Most partitions of a topic that a recording may hold. */
  static final int PARTITIONS_MAX = 1 << 16;

  private static final long NONE = Long.MIN_VALUE;

  /** Largest append times so far, by rank of the topic and partition. */
  private final long[][] latestMs = new long[TOPICS.size()][0];

  /** Offsets of the last records, by rank of the topic and partition. */
  private final long[][] lastOffset = new long[TOPICS.size()][0];

  private long timeMs = NONE;
  private int rank;
  private int partition;

  /** Place of a topic among {@link #TOPICS}; −1 if it is none of a run's. */
  public static int rank(String topic) {
    return TOPICS.indexOf(topic);
  }

  /**
   * Takes the next record.
   *
   * @return false if it may not stand behind the records so far; it then counts as not taken
   * @throws IllegalArgumentException if the topic is none of a run's, or the partition out of range
   */
  public boolean take(RecordedEntry entry) {
    int of = rank(entry.topic());
    int at = entry.partition();
    if (of < 0 || at < 0 || at >= PARTITIONS_MAX) {
      throw new IllegalArgumentException(
          "a log has no partition (" + at + ") of topic (" + entry.topic() + ")");
    }
    if (at >= latestMs[of].length) {
      int before = latestMs[of].length;
      latestMs[of] = Arrays.copyOf(latestMs[of], at + 1);
      lastOffset[of] = Arrays.copyOf(lastOffset[of], at + 1);
      Arrays.fill(latestMs[of], before, at + 1, NONE);
      Arrays.fill(lastOffset[of], before, at + 1, -1);
    }
    long ms = Math.max(latestMs[of][at], entry.appendedAtEpochMs());
    if (entry.offset() <= lastOffset[of][at] || comesBefore(ms, of, at)) {
      return false;
    }
    latestMs[of][at] = ms;
    lastOffset[of][at] = entry.offset();
    timeMs = ms;
    rank = of;
    partition = at;
    return true;
  }

  private boolean comesBefore(long ms, int of, int at) {
    if (ms != timeMs) {
      return ms < timeMs;
    }
    return of != rank ? of < rank : at < partition;
  }
}
