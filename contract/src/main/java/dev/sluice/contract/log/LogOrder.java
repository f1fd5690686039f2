package dev.sluice.contract.log;

import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

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

  private static final Comparator<Stand> ORDER =
      Comparator.comparingLong(Stand::ms)
          .thenComparingInt(Stand::rank)
          .thenComparingInt(Stand::partition);

  private final Map<Integer, Stand> lastByPartition = new HashMap<>();
  private @Nullable Stand last;

  /** Where a record stands; {@code ms} is the largest append time so far in its partition. */
  private record Stand(long ms, int rank, int partition, long offset) {}

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
    int rank = rank(entry.topic());
    int partition = entry.partition();
    if (rank < 0 || partition < 0 || partition >= PARTITIONS_MAX) {
      throw new IllegalArgumentException(
          "a log has no partition (" + partition + ") of topic (" + entry.topic() + ")");
    }
    int key = rank * PARTITIONS_MAX + partition;
    Stand before = lastByPartition.getOrDefault(key, new Stand(Long.MIN_VALUE, 0, 0, -1));
    long ms = Math.max(before.ms, entry.appendedAtEpochMs());
    var stand = new Stand(ms, rank, partition, entry.offset());
    if (stand.offset <= before.offset || (last != null && ORDER.compare(stand, last) < 0)) {
      return false;
    }
    lastByPartition.put(key, stand);
    last = stand;
    return true;
  }
}
