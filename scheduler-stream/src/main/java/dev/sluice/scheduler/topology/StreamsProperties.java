package dev.sluice.scheduler.topology;

import dev.sluice.contract.log.LogClients;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Properties;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.streams.StreamsConfig;
import org.apache.kafka.streams.processor.assignment.assignors.StickyTaskAssignor;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Settings for low latency, exactly once, and fast takeovers. */
final class StreamsProperties {
  private static final Logger LOG = LoggerFactory.getLogger(StreamsProperties.class);

  /** Silence after which a scheduler loses its shards; brokers may demand a longer one. */
  private static final int SESSION_TIMEOUT_MS = 1_500;

  private static final int HEARTBEAT_INTERVAL_MS = 300;

  /** Each commit delays dispatches by some milliseconds; outcomes become visible at the next. */
  private static final int COMMIT_INTERVAL_MS = 2_000;

  /** The last resort if no process is left to fence a dead scheduler. */
  private static final int TRANSACTION_TIMEOUT_MS = 10_000;

  private static final String GROUP_MIN_SESSION_TIMEOUT = "group.min.session.timeout.ms";

  private StreamsProperties() {}

  /**
   * @param instance name of this process, from which its clients are named
   */
  static Properties of(LogClients kafka, String group, String instance, Path stateFolder)
      throws InterruptedException {
    var properties = new Properties();
    properties.putAll(kafka.properties());
    properties.put(StreamsConfig.APPLICATION_ID_CONFIG, group);
    properties.put(StreamsConfig.CLIENT_ID_CONFIG, instance);
    properties.put(StreamsConfig.STATE_DIR_CONFIG, stateFolder.toString());
    properties.put(StreamsConfig.PROCESSING_GUARANTEE_CONFIG, StreamsConfig.EXACTLY_ONCE_V2);
    properties.put(StreamsConfig.NUM_STREAM_THREADS_CONFIG, 1);
    properties.put(StreamsConfig.NUM_STANDBY_REPLICAS_CONFIG, 1);
    // The default assignor moves shards between processes by their random ids alone.
    properties.put(StreamsConfig.TASK_ASSIGNOR_CLASS_CONFIG, StickyTaskAssignor.class.getName());
    properties.put(StreamsConfig.COMMIT_INTERVAL_MS_CONFIG, COMMIT_INTERVAL_MS);
    properties.put(StreamsConfig.POLL_MS_CONFIG, 20);
    properties.put(StreamsConfig.MAX_TASK_IDLE_MS_CONFIG, -1);
    properties.put(StreamsConfig.STATESTORE_CACHE_MAX_BYTES_CONFIG, 0);
    properties.put(StreamsConfig.REPLICATION_FACTOR_CONFIG, -1);
    consumer(properties, ConsumerConfig.FETCH_MIN_BYTES_CONFIG, 1);
    consumer(properties, ConsumerConfig.AUTO_OFFSET_RESET_CONFIG, "earliest");
    consumer(properties, ConsumerConfig.SESSION_TIMEOUT_MS_CONFIG, sessionTimeoutMs(kafka));
    consumer(properties, ConsumerConfig.HEARTBEAT_INTERVAL_MS_CONFIG, HEARTBEAT_INTERVAL_MS);
    producer(properties, ProducerConfig.LINGER_MS_CONFIG, 0);
    // While one request is on its way the next one gathers: under low load no record waits, and
    // under high load the broker gets a few full requests instead of one for each record.
    producer(properties, ProducerConfig.MAX_IN_FLIGHT_REQUESTS_PER_CONNECTION, 1);
    producer(properties, ProducerConfig.ACKS_CONFIG, "all");
    producer(properties, ProducerConfig.TRANSACTION_TIMEOUT_CONFIG, TRANSACTION_TIMEOUT_MS);
    producer(
        properties,
        ProducerConfig.DELIVERY_TIMEOUT_MS_CONFIG,
        Math.toIntExact(ThreadFailures.LIMIT.toMillis()));
    return properties;
  }

  private static void consumer(Properties properties, String name, Object value) {
    properties.put(StreamsConfig.consumerPrefix(name), value);
  }

  private static void producer(Properties properties, String name, Object value) {
    properties.put(StreamsConfig.producerPrefix(name), value);
  }

  /** Returns the session timeout: the wanted one, or the broker's minimum if that is longer. */
  private static int sessionTimeoutMs(LogClients kafka) throws InterruptedException {
    int timeoutMs = SESSION_TIMEOUT_MS;
    try (var admin = kafka.admin()) {
      timeoutMs = Math.max(timeoutMs, sessionTimeoutMsMin(admin));
    } catch (ExecutionException e) {
      timeoutMs = Math.toIntExact(Duration.ofSeconds(6).toMillis()); // Kafka's own default
      LOG.warn("the broker does not say its {}", GROUP_MIN_SESSION_TIMEOUT, e);
    }
    if (timeoutMs > SESSION_TIMEOUT_MS) {
      LOG.warn(
          "the broker's {} is {}: a takeover takes so long, and about a second",
          GROUP_MIN_SESSION_TIMEOUT,
          timeoutMs);
    }
    return timeoutMs;
  }

  private static int sessionTimeoutMsMin(Admin admin)
      throws ExecutionException, InterruptedException {
    int minMs = 0;
    for (var node : admin.describeCluster().nodes().get()) {
      var broker = new ConfigResource(ConfigResource.Type.BROKER, node.idString());
      for (var config : admin.describeConfigs(List.of(broker)).all().get().values()) {
        ConfigEntry entry = config.get(GROUP_MIN_SESSION_TIMEOUT);
        if (entry != null && entry.value() != null) {
          minMs = Math.max(minMs, Integer.parseInt(entry.value()));
        }
      }
    }
    return minMs;
  }
}
