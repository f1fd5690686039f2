package dev.sluice.producer.generator;

import dev.sluice.contract.codec.EventCodec;
import dev.sluice.contract.codec.UnreadableEventException;
import dev.sluice.contract.event.Event;
import dev.sluice.contract.log.LogClients;
import dev.sluice.contract.log.Reading;
import dev.sluice.contract.log.Topics;
import dev.sluice.contract.log.Writing;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/** The run's topics as its generators open and read them. */
final class RunLog {
  private final Topics topics;
  private final int shards;
  private final LogClients clients;
  private final int lingerMs;

  RunLog(Topics topics, int shards, LogClients clients, int lingerMs) {
    this.topics = topics;
    this.shards = shards;
    this.clients = clients;
    this.lingerMs = lingerMs;
  }

  /** Opens a producer of jobs, which writes each job exactly once, in the order of the sends. */
  Producer<byte[], byte[]> openProducer() {
    return clients.gatheringProducer(Writing.ARRIVALS, lingerMs);
  }

  /**
   * Opens a producer for the last record of a run that was given up; the broker itself may be the
   * cause.
   */
  Producer<byte[], byte[]> openLastWordProducer() {
    return clients.producer(Writing.LAST_WORD);
  }

  /** Opens a consumer that reads from the beginning, uncommitted records included. */
  Consumer<byte[], byte[]> openConsumer(List<TopicPartition> partitions) {
    return openConsumer(partitions, Reading.IN_NO_HURRY);
  }

  /**
   * Opens a consumer that reads from the beginning, committed records alone, for topics that the
   * topology writes.
   */
  Consumer<byte[], byte[]> openCommittedConsumer(List<TopicPartition> partitions) {
    return openConsumer(partitions, Reading.COMMITTED_IN_NO_HURRY);
  }

  /** Opens a consumer that reads each record as soon as it is in the log. */
  Consumer<byte[], byte[]> openConsumerAtOnce(List<TopicPartition> partitions) {
    return openConsumer(partitions, Reading.AT_ONCE);
  }

  private Consumer<byte[], byte[]> openConsumer(List<TopicPartition> partitions, Reading reading) {
    var consumer = clients.consumer(reading);
    consumer.assign(partitions);
    consumer.seekToBeginning(partitions);
    return consumer;
  }

  List<TopicPartition> facts() {
    return partitions(topics.facts());
  }

  List<TopicPartition> runs() {
    return List.of(new TopicPartition(topics.runs(), 0));
  }

  List<TopicPartition> outcomes() {
    return partitions(topics.outcomes());
  }

  List<TopicPartition> outcomesAndRuns() {
    var both = new ArrayList<>(outcomes());
    both.addAll(runs());
    return both;
  }

  private List<TopicPartition> partitions(String topic) {
    return IntStream.range(0, shards).mapToObj(shard -> new TopicPartition(topic, shard)).toList();
  }

  /** Returns the event in a record; null if the record is no event. */
  static <E extends Event> @Nullable E readOrNull(
      EventCodec<E> codec, ConsumerRecord<byte[], byte[]> entry) {
    if (entry.value() == null) {
      return null;
    }
    try {
      return codec.read(entry.value());
    } catch (UnreadableEventException e) {
      return null;
    }
  }
}
