package dev.sluice.contract.log;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import org.apache.kafka.clients.CommonClientConfigs;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.common.config.ConfigDef;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/**
 * Access to a run's Kafka. Makes each client for a purpose, whose settings are in {@link Reading}
 * and {@link Writing}. The text of this object names only the broker, because the properties may
 * hold a password.
 *
 * @param location the option or the line of a file that names the broker, for messages
 * @param properties properties that every client shares, {@code bootstrap.servers} among them
 */
public record LogClients(String location, Map<String, Object> properties) {
  public LogClients {
    properties = Map.copyOf(properties);
  }

  /** Clients with these properties, {@code bootstrap.servers} among them. */
  public static LogClients of(Map<String, Object> properties) {
    return new LogClients("", properties);
  }

  public Admin admin() {
    return Admin.create(properties);
  }

  /** Opens an admin client that gives up a request after the limit. */
  public Admin admin(Duration answerLimit) {
    int limitMs = Math.toIntExact(answerLimit.toMillis());
    Map<String, Object> impatient = new HashMap<>(properties);
    impatient.put(CommonClientConfigs.DEFAULT_API_TIMEOUT_MS_CONFIG, limitMs);
    impatient.put(CommonClientConfigs.REQUEST_TIMEOUT_MS_CONFIG, limitMs);
    return Admin.create(impatient);
  }

  /** Opens a consumer without a group: the caller assigns its partitions and seeks. */
  public KafkaConsumer<byte[], byte[]> consumer(Reading reading) {
    return consumer(reading.over(properties));
  }

  /** Opens a consumer that gives up a request after the limit. */
  public KafkaConsumer<byte[], byte[]> consumer(Reading reading, Duration answerLimit) {
    Map<String, Object> settings = reading.over(properties);
    settings.put(
        CommonClientConfigs.DEFAULT_API_TIMEOUT_MS_CONFIG, Math.toIntExact(answerLimit.toMillis()));
    return consumer(settings);
  }

  private static KafkaConsumer<byte[], byte[]> consumer(Map<String, Object> settings) {
    return new KafkaConsumer<>(settings, new ByteArrayDeserializer(), new ByteArrayDeserializer());
  }

  public KafkaProducer<byte[], byte[]> producer(Writing writing) {
    return producer(writing.over(properties));
  }

  /**
   * Opens a producer that waits with each request until more records have gathered.
   *
   * @param lingerMs longest wait; shorter where the user's time limits leave less
   */
  public KafkaProducer<byte[], byte[]> gatheringProducer(Writing writing, int lingerMs) {
    return producer(gathering(writing, lingerMs));
  }

  Map<String, Object> gathering(Writing writing, int lingerMs) {
    Map<String, Object> settings = writing.over(properties);
    int leftMs =
        milliseconds(settings, ProducerConfig.DELIVERY_TIMEOUT_MS_CONFIG)
            - milliseconds(settings, ProducerConfig.REQUEST_TIMEOUT_MS_CONFIG);
    settings.put(ProducerConfig.LINGER_MS_CONFIG, Math.max(0, Math.min(lingerMs, leftMs)));
    return settings;
  }

  private static int milliseconds(Map<String, Object> settings, String name) {
    return (Integer) ConfigDef.parseType(name, settings.get(name), ConfigDef.Type.INT);
  }

  /** Opens a producer that gives up a record after the limit. */
  public KafkaProducer<byte[], byte[]> producer(Writing writing, Duration deliveryLimit) {
    Map<String, Object> settings = writing.over(properties);
    settings.put(
        ProducerConfig.DELIVERY_TIMEOUT_MS_CONFIG, Math.toIntExact(deliveryLimit.toMillis()));
    return producer(settings);
  }

  private static KafkaProducer<byte[], byte[]> producer(Map<String, Object> settings) {
    return new KafkaProducer<>(settings, new ByteArraySerializer(), new ByteArraySerializer());
  }

  @Override
  public String toString() {
    return "clients of " + properties.get(CommonClientConfigs.BOOTSTRAP_SERVERS_CONFIG);
  }
}
