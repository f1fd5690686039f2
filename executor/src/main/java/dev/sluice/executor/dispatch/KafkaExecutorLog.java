package dev.sluice.executor.dispatch;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.sluice.contract.codec.EventCodec;
import dev.sluice.contract.codec.Topics;
import dev.sluice.contract.event.Fact;
import dev.sluice.contract.time.ProcessClock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.apache.kafka.clients.consumer.CloseOptions;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.WakeupException;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.jspecify.annotations.Nullable;

/**
 * The executor's side of Kafka: one consumer without a group, which reads uncommitted, and one
 * plain idempotent producer. Dispatches are read from their end: none can be meant for an executor
 * that has not reported yet.
 */
final class KafkaExecutorLog implements ExecutorLog {
  private static final Duration CLOSE_MAX = Duration.ofSeconds(10);

  /**
   * A broker may be away for a minute and needs some seconds to start: so long facts are kept for
   * it, unless the client properties say otherwise.
   */
  private static final int BROKER_AWAY_MS_MAX = 90_000;

  /** A broker that hangs is asked again after so long. */
  private static final int REQUEST_MS_MAX = 10_000;

  private final Topics topics;
  private final int shard;
  private final ProcessClock clock;
  private final Consumer<Throwable> onFailure;
  private final KafkaConsumer<byte[], byte[]> consumer;
  private final KafkaProducer<byte[], byte[]> producer;
  private final AtomicLong clockOffsetNsMax = new AtomicLong();

  /**
   * Connects, and fixes where reading begins.
   *
   * @param kafka client properties, with bootstrap.servers
   * @param onFailure told when something cannot be written, from the producer's thread
   * @throws org.apache.kafka.common.KafkaException if the broker or a topic is out of reach
   */
  static KafkaExecutorLog open(
      Topics topics,
      int shard,
      Map<String, Object> kafka,
      ProcessClock clock,
      Consumer<Throwable> onFailure) {
    var consumer = new KafkaConsumer<byte[], byte[]>(consumerProperties(kafka));
    try {
      var runs = new TopicPartition(topics.runs(), 0);
      var dispatches = new TopicPartition(topics.dispatches(), shard);
      consumer.assign(List.of(runs, dispatches));
      consumer.seekToBeginning(List.of(runs));
      consumer.seekToEnd(List.of(dispatches));
      consumer.position(runs);
      consumer.position(dispatches); // both seeks are lazy until asked
      var producer = new KafkaProducer<byte[], byte[]>(producerProperties(kafka));
      return new KafkaExecutorLog(topics, shard, clock, onFailure, consumer, producer);
    } catch (RuntimeException e) {
      consumer.close();
      throw e;
    }
  }

  private KafkaExecutorLog(
      Topics topics,
      int shard,
      ProcessClock clock,
      Consumer<Throwable> onFailure,
      KafkaConsumer<byte[], byte[]> consumer,
      KafkaProducer<byte[], byte[]> producer) {
    this.topics = topics;
    this.shard = shard;
    this.clock = clock;
    this.onFailure = onFailure;
    this.consumer = consumer;
    this.producer = producer;
  }

  private static Map<String, Object> consumerProperties(Map<String, Object> kafka) {
    var properties = new HashMap<>(kafka);
    properties.put(ConsumerConfig.KEY_DESERIALIZER_CLASS_CONFIG, ByteArrayDeserializer.class);
    properties.put(ConsumerConfig.VALUE_DESERIALIZER_CLASS_CONFIG, ByteArrayDeserializer.class);
    properties.put(ConsumerConfig.ISOLATION_LEVEL_CONFIG, "read_uncommitted");
    properties.put(ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG, false);
    properties.put(ConsumerConfig.ALLOW_AUTO_CREATE_TOPICS_CONFIG, false);
    properties.put(ConsumerConfig.AUTO_OFFSET_RESET_CONFIG, "earliest");
    properties.put(ConsumerConfig.FETCH_MIN_BYTES_CONFIG, 1);
    return properties;
  }

  private static Map<String, Object> producerProperties(Map<String, Object> kafka) {
    var properties = new HashMap<>(kafka);
    properties.put(ProducerConfig.KEY_SERIALIZER_CLASS_CONFIG, ByteArraySerializer.class);
    properties.put(ProducerConfig.VALUE_SERIALIZER_CLASS_CONFIG, ByteArraySerializer.class);
    properties.put(ProducerConfig.ENABLE_IDEMPOTENCE_CONFIG, true);
    properties.put(ProducerConfig.ACKS_CONFIG, "all");
    properties.put(ProducerConfig.LINGER_MS_CONFIG, 0);
    // While one request is on its way the next one gathers: idle, nothing waits; busy, the broker
    // gets a few full requests instead of one for each record.
    properties.put(ProducerConfig.MAX_IN_FLIGHT_REQUESTS_PER_CONNECTION, 1);
    properties.putIfAbsent(ProducerConfig.REQUEST_TIMEOUT_MS_CONFIG, REQUEST_MS_MAX);
    properties.putIfAbsent(ProducerConfig.DELIVERY_TIMEOUT_MS_CONFIG, BROKER_AWAY_MS_MAX);
    properties.putIfAbsent(ProducerConfig.MAX_BLOCK_MS_CONFIG, BROKER_AWAY_MS_MAX);
    return properties;
  }

  @Override
  public List<ConsumerRecord<byte[], byte[]>> poll(Duration timeout) {
    var received = new ArrayList<ConsumerRecord<byte[], byte[]>>();
    try {
      consumer.poll(timeout).forEach(received::add);
    } catch (WakeupException e) {
      return List.of();
    }
    return received;
  }

  @Override
  public void wakeUp() {
    consumer.wakeup();
  }

  @Override
  public void append(Fact fact) {
    long sentEpochNs = clock.epochNs();
    var unused =
        producer.send(
            new ProducerRecord<>(topics.facts(), shard, null, EventCodec.FACTS.write(fact)),
            (written, failure) -> {
              if (failure != null) {
                onFailure.accept(failure);
              } else {
                measureOffset(sentEpochNs, written);
              }
            });
  }

  /**
   * The append happened between sending and now: what its date is off by beyond that, is offset.
   */
  private void measureOffset(long sentEpochNs, RecordMetadata written) {
    long appendedEpochNs = written.timestamp() * 1_000_000;
    long offsetNs =
        clockOffsetNs(sentEpochNs, appendedEpochNs, appendedEpochNs + 1_000_000, clock.epochNs());
    clockOffsetNsMax.accumulateAndGet(offsetNs, Math::max);
  }

  /**
   * The least distance between two clocks that explains what was seen.
   *
   * @param appendedFromNs the broker's date of the append, and
   * @param appendedToNs the end of that millisecond
   */
  static long clockOffsetNs(long sentNs, long appendedFromNs, long appendedToNs, long nowNs) {
    return Math.max(0, Math.max(sentNs - appendedToNs, appendedFromNs - nowNs));
  }

  @Override
  public void putAside(ConsumerRecord<byte[], byte[]> received, @Nullable String error) {
    var record =
        new ProducerRecord<byte[], byte[]>(topics.deadLetters(), 0, null, received.value());
    record
        .headers()
        .add("error", String.valueOf(error).getBytes(UTF_8))
        .add("source-topic", received.topic().getBytes(UTF_8))
        .add("source-partition", Integer.toString(received.partition()).getBytes(UTF_8))
        .add("source-offset", Long.toString(received.offset()).getBytes(UTF_8));
    var unused =
        producer.send(
            record,
            (written, failure) -> {
              if (failure != null) {
                onFailure.accept(failure);
              }
            });
  }

  @Override
  public long clockOffsetNsMax() {
    return clockOffsetNsMax.get();
  }

  @Override
  public void close() {
    producer.close(CLOSE_MAX);
    consumer.close(CloseOptions.timeout(CLOSE_MAX));
  }
}
