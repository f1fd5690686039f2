package dev.sluice.contract.log;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.PartitionInfo;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/**
 * Reads partitions of a run, by assignment, merged in the order of a recording ({@link LogOrder}).
 * Its memory does not grow with the log: a partition that is far ahead is paused until the slowest
 * one has caught up. For use by one thread.
 */
public final class LogMerge {
  private static final Duration POLL = Duration.ofMillis(100);

  /** Records of a partition that wait for others, before it is paused. */
  private static final int WAITING_MAX = 4000;

  /** Bytes of a partition's records that wait for others, before it is paused. */
  private static final int WAITING_BYTES_MAX = 4 << 20;

  private final Topics topics;
  private final Consumer<byte[], byte[]> consumer;
  private final ProcessClock clock;
  private final Duration limit;

  @FunctionalInterface
  public interface Sink {
    void take(ConsumerRecord<byte[], byte[]> record) throws IOException;
  }

  /**
   * Offsets of a partition.
   *
   * @param from first offset that is read
   * @param to offset behind the last one that is read
   */
  public record Offsets(long from, long to) {}

  /** Records of a partition that have been read and wait for others. */
  private static final class Source {
    final TopicPartition partition;
    final int rank;
    final long to;
    final Deque<ConsumerRecord<byte[], byte[]>> waiting = new ArrayDeque<>();
    long waitingBytes;

    /** True once the consumer stands behind the last record that is read. */
    boolean read;

    long latestMs = Long.MIN_VALUE;

    Source(TopicPartition partition, int rank, long to) {
      this.partition = partition;
      this.rank = rank;
      this.to = to;
    }

    void add(ConsumerRecord<byte[], byte[]> record) {
      if (record.offset() < to) {
        waiting.add(record);
        waitingBytes += Math.max(0, record.serializedValueSize());
      }
    }

    ConsumerRecord<byte[], byte[]> remove() {
      ConsumerRecord<byte[], byte[]> first = waiting.remove();
      waitingBytes -= Math.max(0, first.serializedValueSize());
      latestMs = Math.max(latestMs, first.timestamp());
      return first;
    }

    /** Place of the first waiting record in time; there must be one. */
    long headMs() {
      return Math.max(latestMs, waiting.element().timestamp());
    }

    boolean isFull() {
      return waiting.size() >= WAITING_MAX || waitingBytes >= WAITING_BYTES_MAX;
    }

    boolean comesBefore(Source that) {
      if (headMs() != that.headMs()) {
        return headMs() < that.headMs();
      }
      return rank != that.rank
          ? rank < that.rank
          : partition.partition() < that.partition.partition();
    }
  }

  /**
   * Prepares a reading.
   *
   * @param consumer consumer without a group, which this reading assigns
   * @param limit longest time without any record
   */
  public LogMerge(
      Topics topics, Consumer<byte[], byte[]> consumer, ProcessClock clock, Duration limit) {
    this.topics = topics;
    this.consumer = consumer;
    this.clock = clock;
    this.limit = limit;
  }

  /**
   * Finds what the run's topics hold now.
   *
   * @param names topics without the run's prefix
   * @throws IllegalStateException if a topic does not exist
   */
  public Map<TopicPartition, Offsets> whole(List<String> names) {
    List<TopicPartition> partitions = partitions(names);
    Map<TopicPartition, Long> from = consumer.beginningOffsets(partitions, limit);
    Map<TopicPartition, Long> to = consumer.endOffsets(partitions, limit);
    Map<TopicPartition, Offsets> whole = new LinkedHashMap<>();
    for (TopicPartition partition : partitions) {
      whole.put(
          partition, new Offsets(from.getOrDefault(partition, 0L), to.getOrDefault(partition, 0L)));
    }
    return whole;
  }

  /**
   * Finds the partitions of the run's topics.
   *
   * @param names topics without the run's prefix
   * @throws IllegalStateException if a topic does not exist
   */
  public List<TopicPartition> partitions(List<String> names) {
    List<TopicPartition> partitions = new ArrayList<>();
    for (String name : names) {
      String topic = topics.prefix() + "." + name;
      List<PartitionInfo> infos = consumer.partitionsFor(topic, limit);
      if (infos == null || infos.isEmpty()) {
        throw new IllegalStateException("topic " + topic + " does not exist");
      }
      infos.forEach(info -> partitions.add(new TopicPartition(topic, info.partition())));
    }
    return partitions;
  }

  /**
   * Reads the partitions.
   *
   * @throws IOException if the sink throws it
   * @throws IllegalStateException if the broker gives no record within the limit
   */
  public void read(Map<TopicPartition, Offsets> partitions, Sink sink) throws IOException {
    List<Source> sources = new ArrayList<>();
    Map<TopicPartition, Source> byPartition = new LinkedHashMap<>();
    consumer.assign(partitions.keySet());
    partitions.forEach(
        (partition, offsets) -> {
          var source = new Source(partition, rank(partition.topic()), offsets.to());
          sources.add(source);
          byPartition.put(partition, source);
          consumer.seek(partition, offsets.from());
        });
    long lastNs = clock.monotonicNs();
    findRead(sources);
    for (Source next = next(sources); next != null || !areRead(sources); next = next(sources)) {
      if (next != null) {
        sink.take(next.remove());
        continue;
      }
      pause(sources);
      var records = consumer.poll(POLL);
      for (ConsumerRecord<byte[], byte[]> record : records) {
        Source source = byPartition.get(new TopicPartition(record.topic(), record.partition()));
        if (source != null) {
          source.add(record);
        }
      }
      findRead(sources);
      lastNs = records.isEmpty() ? lastNs : clock.monotonicNs();
      if (clock.monotonicNs() - lastNs > limit.toNanos()) {
        throw new IllegalStateException(
            "the broker gave no record for (" + limit.toSeconds() + ") s");
      }
    }
  }

  private int rank(String topic) {
    return LogOrder.rank(topic.substring(topics.prefix().length() + 1));
  }

  /** The source of the next record; null if a partition must be read first, or all are read. */
  private @Nullable Source next(List<Source> sources) {
    Source first = null;
    for (Source source : sources) {
      if (source.waiting.isEmpty()) {
        if (!source.read) {
          return null;
        }
      } else if (first == null || source.comesBefore(first)) {
        first = source;
      }
    }
    return first;
  }

  private boolean areRead(List<Source> sources) {
    return sources.stream().allMatch(source -> source.waiting.isEmpty() && source.read);
  }

  /** Asks where the consumer stands, which only a poll moves: asking for each record is dear. */
  private void findRead(List<Source> sources) {
    for (Source source : sources) {
      source.read = consumer.position(source.partition) >= source.to;
    }
  }

  /** Pauses each partition that is far ahead, and those that are read. */
  private void pause(List<Source> sources) {
    List<TopicPartition> ahead = new ArrayList<>();
    for (Source source : sources) {
      if (source.isFull() || source.read) {
        ahead.add(source.partition);
      }
    }
    List<TopicPartition> behind = new ArrayList<>(consumer.paused());
    behind.removeAll(ahead);
    consumer.resume(behind);
    consumer.pause(ahead);
  }

  /** The record as an entry of a recording; one without a value has no bytes. */
  public RecordedEntry entry(ConsumerRecord<byte[], byte[]> record) {
    byte[] value = record.value() == null ? new byte[0] : record.value();
    return new RecordedEntry(
        record.topic().substring(topics.prefix().length() + 1),
        record.partition(),
        record.offset(),
        record.timestamp(),
        value);
  }
}
