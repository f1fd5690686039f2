package dev.sluice.analytics.log;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/** Kafka clients of the reader, and how long a broker may take to answer them. */
final class ReaderClients {
  /** Longest wait of one read: it bounds how stale a snapshot is, not how fast records come. */
  static final Duration POLL = Duration.ofMillis(100);

  /**
   * Longest wait for an answer or an acknowledgement, so that a broker can be away for a minute.
   */
  static final Duration ANSWER_LIMIT = Duration.ofMinutes(2);

  /** Longest wait where the run has not come to its end: the broker may be gone for good. */
  static final Duration ANSWER_LIMIT_IN_VAIN = Duration.ofSeconds(10);

  private ReaderClients() {}

  /** A consumer of committed records that starts where it is told to. */
  static Consumer<byte[], byte[]> consumer(Map<String, Object> clientProperties) {
    Map<String, Object> properties = new HashMap<>(clientProperties);
    // The reader may lag a little; small answers cost the broker as much as large ones.
    properties.put("fetch.min.bytes", 262_144);
    properties.put("fetch.max.wait.ms", 200);
    properties.put("isolation.level", "read_committed");
    properties.put("enable.auto.commit", false);
    properties.put("auto.offset.reset", "none");
    properties.put("default.api.timeout.ms", Math.toIntExact(ANSWER_LIMIT.toMillis()));
    properties.put("max.poll.records", 2000);
    return new KafkaConsumer<>(
        properties, new ByteArrayDeserializer(), new ByteArrayDeserializer());
  }

  /** A producer that sends at once and loses or doubles nothing. */
  static Producer<byte[], byte[]> producer(Map<String, Object> clientProperties) {
    Map<String, Object> properties = new HashMap<>(clientProperties);
    properties.put("linger.ms", 0);
    properties.put("acks", "all");
    properties.put("enable.idempotence", true);
    properties.put("delivery.timeout.ms", Math.toIntExact(ANSWER_LIMIT.toMillis()));
    return new KafkaProducer<>(properties, new ByteArraySerializer(), new ByteArraySerializer());
  }
}
