package dev.sluice.analytics.log;

import dev.sluice.contract.log.TopicReader;
import dev.sluice.contract.log.Topics;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.Predicate;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;

/**
 * Records of a run's topics as they come. Dispatches are read before they are committed, as
 * executors read them, because they can only be made again identically; all others are read
 * committed. Each record is fetched once. For use by one thread.
 */
final class LiveRecords implements AutoCloseable {
  private final Consumer<byte[], byte[]> committed;
  private final Consumer<byte[], byte[]> provisional;
  private final String dispatches;
  private List<TopicPartition> partitions = List.of();
  private Set<TopicPartition> paused = Set.of();

  /**
   * Reads with consumers that it closes.
   *
   * @param provisional reads dispatches that may not be committed
   */
  LiveRecords(
      Consumer<byte[], byte[]> committed, Consumer<byte[], byte[]> provisional, Topics topics) {
    this.committed = committed;
    this.provisional = provisional;
    this.dispatches = topics.dispatches();
  }

  /** Reads the partitions from their beginning. */
  void assign(List<TopicPartition> all) {
    partitions = all;
    RunPartitions.assign(committed, where(p -> !p.topic().equals(dispatches)));
    RunPartitions.assign(provisional, where(p -> p.topic().equals(dispatches)));
  }

  /** Records that have arrived, after a wait of {@link ReaderClients#POLL} for the first ones. */
  List<ConsumerRecord<byte[], byte[]>> poll() {
    boolean behind =
        !where(p -> p.topic().equals(dispatches) && !paused.contains(p) && lag(p).orElse(1) > 0)
            .isEmpty();
    List<ConsumerRecord<byte[], byte[]>> records = new ArrayList<>();
    committed.poll(behind ? Duration.ZERO : ReaderClients.POLL).forEach(records::add);
    boolean waits = behind && records.isEmpty();
    provisional.poll(waits ? ReaderClients.POLL : Duration.ZERO).forEach(records::add);
    return records;
  }

  /** Number of records known and not read; empty before the broker has answered. */
  OptionalLong lag(TopicPartition partition) {
    return of(partition).currentLag(partition);
  }

  /** Pauses these partitions, and no others. */
  void pauseOnly(Set<TopicPartition> pause) {
    if (pause.equals(paused)) {
      return;
    }
    for (TopicPartition partition : partitions) {
      if (pause.contains(partition)) {
        of(partition).pause(List.of(partition));
      } else if (paused.contains(partition)) {
        of(partition).resume(List.of(partition));
      }
    }
    paused = new HashSet<>(pause);
  }

  /** Present ends of those partitions whose topics match. */
  Map<TopicPartition, Long> ends(Predicate<String> topics) {
    Map<TopicPartition, Long> ends = new HashMap<>();
    for (Consumer<byte[], byte[]> consumer : List.of(committed, provisional)) {
      List<TopicPartition> asked = where(p -> of(p) == consumer && topics.test(p.topic()));
      if (!asked.isEmpty()) {
        ends.putAll(consumer.endOffsets(asked, ReaderClients.ANSWER_LIMIT));
      }
    }
    return ends;
  }

  /** True if everything before these ends has been read. */
  boolean hasReadTo(Map<TopicPartition, Long> ends) {
    return ends.entrySet().stream()
        .allMatch(end -> TopicReader.hasReadTo(Map.ofEntries(end), of(end.getKey())));
  }

  private Consumer<byte[], byte[]> of(TopicPartition partition) {
    return partition.topic().equals(dispatches) ? provisional : committed;
  }

  private List<TopicPartition> where(Predicate<TopicPartition> test) {
    return partitions.stream().filter(test).toList();
  }

  @Override
  public void close() {
    try (committed;
        provisional) {
      partitions = List.of();
    }
  }
}
