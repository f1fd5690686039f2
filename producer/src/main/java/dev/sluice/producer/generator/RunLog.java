package dev.sluice.producer.generator;

import dev.sluice.contract.codec.EventCodec;
import dev.sluice.contract.codec.Topics;
import dev.sluice.contract.codec.UnreadableEventException;
import dev.sluice.contract.event.Event;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.apache.kafka.clients.CommonClientConfigs;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.jspecify.annotations.Nullable;

/** The run's topics as its generators open and read them. */
final class RunLog {
  /**
   * A broker may be away for a minute and needs some seconds to start: so long a send waits for it,
   * unless the client properties say otherwise.
   */
  private static final int BROKER_AWAY_MS_MAX = 90_000;

  /** A broker that hangs is asked again after so long. */
  private static final int REQUEST_MS_MAX = 10_000;

  private static final int LAST_WORD_MS_MAX = 5_000;

  private final Topics topics;
  private final int shards;
  private final Map<String, Object> clientProperties;

  RunLog(Topics topics, int shards, Map<String, Object> clientProperties) {
    this.topics = topics;
    this.shards = shards;
    this.clientProperties = Map.copyOf(clientProperties);
  }

  /**
   * Idempotent, so that its records stand in the order of its sends, each once. While the broker is
   * away it keeps what it knows of the topics: were it to forget, each send would be held back
   * until the broker answers, instead of waiting in the buffer, and the jobs would be late.
   */
  Producer<byte[], byte[]> openProducer() {
    var properties = new HashMap<>(clientProperties);
    properties.putIfAbsent(CommonClientConfigs.METADATA_RECOVERY_STRATEGY_CONFIG, "none");
    properties.putIfAbsent(ProducerConfig.REQUEST_TIMEOUT_MS_CONFIG, REQUEST_MS_MAX);
    properties.putIfAbsent(ProducerConfig.DELIVERY_TIMEOUT_MS_CONFIG, BROKER_AWAY_MS_MAX);
    properties.putIfAbsent(ProducerConfig.MAX_BLOCK_MS_CONFIG, BROKER_AWAY_MS_MAX);
    return open(properties);
  }

  /** For what is said on the way out, when the broker itself may be the trouble. */
  Producer<byte[], byte[]> openLastWordProducer() {
    var properties = new HashMap<>(clientProperties);
    properties.put(ProducerConfig.REQUEST_TIMEOUT_MS_CONFIG, LAST_WORD_MS_MAX);
    properties.put(ProducerConfig.DELIVERY_TIMEOUT_MS_CONFIG, LAST_WORD_MS_MAX);
    properties.put(ProducerConfig.MAX_BLOCK_MS_CONFIG, LAST_WORD_MS_MAX);
    return open(properties);
  }

  private static Producer<byte[], byte[]> open(Map<String, Object> properties) {
    properties.put(ProducerConfig.ACKS_CONFIG, "all");
    properties.put(ProducerConfig.ENABLE_IDEMPOTENCE_CONFIG, true);
    properties.put(ProducerConfig.LINGER_MS_CONFIG, 0);
    // While one request is on its way the next one gathers: idle, nothing waits; busy, the broker
    // gets a few full requests instead of one for each record.
    properties.put(ProducerConfig.MAX_IN_FLIGHT_REQUESTS_PER_CONNECTION, 1);
    return new KafkaProducer<>(properties, new ByteArraySerializer(), new ByteArraySerializer());
  }

  /** A consumer from the beginning, uncommitted. */
  Consumer<byte[], byte[]> openConsumer(List<TopicPartition> partitions) {
    return openConsumer(partitions, "read_uncommitted");
  }

  /** The same, for a topic that the topology writes. */
  Consumer<byte[], byte[]> openCommittedConsumer(List<TopicPartition> partitions) {
    return openConsumer(partitions, "read_committed");
  }

  private Consumer<byte[], byte[]> openConsumer(
      List<TopicPartition> partitions, String isolationLevel) {
    var properties = new HashMap<>(clientProperties);
    properties.put(ConsumerConfig.ISOLATION_LEVEL_CONFIG, isolationLevel);
    properties.put(ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG, false);
    properties.put(ConsumerConfig.ALLOW_AUTO_CREATE_TOPICS_CONFIG, false);
    properties.put(ConsumerConfig.AUTO_OFFSET_RESET_CONFIG, "earliest");
    // Nothing here is in a hurry; small answers cost the broker as much as large ones.
    properties.put(ConsumerConfig.FETCH_MIN_BYTES_CONFIG, 65_536);
    properties.put(ConsumerConfig.FETCH_MAX_WAIT_MS_CONFIG, 100);
    var consumer =
        new KafkaConsumer<>(properties, new ByteArrayDeserializer(), new ByteArrayDeserializer());
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

  /** Whether nothing that stood in the log at first is unread. */
  static boolean hasReadTo(
      Map<TopicPartition, Long> endOffsets, Consumer<byte[], byte[]> consumer) {
    return endOffsets.entrySet().stream()
        .allMatch(end -> consumer.position(end.getKey()) >= end.getValue());
  }
}
