package dev.sluice.contract.log;

import dev.sluice.contract.event.RunRecord;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;

/**
 * Reads one partition after another, by assignment, each up to its end when the reading begins. For
 * use by one thread. Each reading throws {@link org.apache.kafka.common.KafkaException} if the
 * broker does not answer.
 */
public final class TopicReader implements AutoCloseable {
  private static final Duration POLL = Duration.ofMillis(100);

  private final Consumer<byte[], byte[]> consumer;

  TopicReader(Consumer<byte[], byte[]> consumer) {
    this.consumer = consumer;
  }

  public static TopicReader open(LogClients clients, Reading reading) {
    return new TopicReader(clients.consumer(reading));
  }

  /** Reads a partition from its beginning. */
  public void readWhole(
      TopicPartition partition, java.util.function.Consumer<ConsumerRecord<byte[], byte[]>> sink) {
    readNewest(partition, Long.MAX_VALUE, sink);
  }

  /** Reads a run's topic of runs from its beginning; a record that is no event is empty. */
  public List<Optional<RunRecord>> runs(Topics topics) {
    List<Optional<RunRecord>> all = new ArrayList<>();
    readWhole(
        new TopicPartition(topics.runs(), 0),
        entry -> all.add(EventCodec.RUNS.find(entry.value())));
    return all;
  }

  /**
   * Reads the newest records of a partition.
   *
   * @param recordsMax most offsets before the end at which the reading begins
   */
  public void readNewest(
      TopicPartition partition,
      long recordsMax,
      java.util.function.Consumer<ConsumerRecord<byte[], byte[]>> sink) {
    consumer.assign(List.of(partition));
    long end = end(partition);
    long begin = consumer.beginningOffsets(List.of(partition)).getOrDefault(partition, 0L);
    consumer.seek(partition, Math.max(begin, recordsMax > end ? begin : end - recordsMax));
    readTo(partition, end, sink);
  }

  /**
   * Goes on with the partition that was read last; another partition is read from its beginning.
   */
  public void readOn(
      TopicPartition partition, java.util.function.Consumer<ConsumerRecord<byte[], byte[]>> sink) {
    if (consumer.assignment().contains(partition)) {
      readTo(partition, end(partition), sink);
    } else {
      readWhole(partition, sink);
    }
  }

  private void readTo(
      TopicPartition partition,
      long end,
      java.util.function.Consumer<ConsumerRecord<byte[], byte[]>> sink) {
    while (consumer.position(partition) < end) {
      consumer.poll(POLL).forEach(sink);
    }
  }

  private long end(TopicPartition partition) {
    return consumer.endOffsets(List.of(partition)).getOrDefault(partition, 0L);
  }

  /** Number of offsets that the partitions hold together. */
  public long count(List<TopicPartition> partitions) {
    return sum(consumer.endOffsets(partitions)) - sum(consumer.beginningOffsets(partitions));
  }

  private static long sum(Map<TopicPartition, Long> offsets) {
    return offsets.values().stream().mapToLong(offset -> offset).sum();
  }

  /** Tells whether a consumer has read each of these partitions up to the given end. */
  public static boolean hasReadTo(
      Map<TopicPartition, Long> ends, Consumer<byte[], byte[]> consumer) {
    return ends.entrySet().stream()
        .allMatch(end -> consumer.position(end.getKey()) >= end.getValue());
  }

  @Override
  public void close() {
    consumer.close();
  }
}
