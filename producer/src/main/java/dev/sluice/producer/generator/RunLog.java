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

  RunLog(Topics topics, int shards, LogClients clients) {
    this.topics = topics;
    this.shards = shards;
    this.clients = clients;
  }

  /** A producer of jobs, each of which stands in the log once, in the order of the sends. */
  Producer<byte[], byte[]> openProducer() {
    return clients.producer(Writing.ARRIVALS);
  }

  /** A producer for what is said on the way out, when the broker itself may be the trouble. */
  Producer<byte[], byte[]> openLastWordProducer() {
    return clients.producer(Writing.LAST_WORD);
  }

  /** A consumer from the beginning, uncommitted. */
  Consumer<byte[], byte[]> openConsumer(List<TopicPartition> partitions) {
    return openConsumer(partitions, Reading.IN_NO_HURRY);
  }

  /** A consumer from the beginning of topics that the topology writes, committed records alone. */
  Consumer<byte[], byte[]> openCommittedConsumer(List<TopicPartition> partitions) {
    return openConsumer(partitions, Reading.COMMITTED_IN_NO_HURRY);
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

  List<TopicPartition> outcomesAndRuns() {
    var both = new ArrayList<>(partitions(topics.outcomes()));
    both.addAll(runs());
    return both;
  }

  private List<TopicPartition> partitions(String topic) {
    return IntStream.range(0, shards).mapToObj(shard -> new TopicPartition(topic, shard)).toList();
  }

  /** The event in the record; null if it is none. */
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
