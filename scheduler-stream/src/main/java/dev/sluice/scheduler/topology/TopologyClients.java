package dev.sluice.scheduler.topology;

import java.util.Map;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.streams.KafkaClientSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Makes the clients of Kafka Streams, and learns from them what Kafka Streams does not expose: the
 * transactional id of its one thread, which is new for each start and each replaced thread, and the
 * moment at which a transaction was committed.
 */
final class TopologyClients implements KafkaClientSupplier {
  private final Runnable onCommitted;
  private volatile @Nullable String transactionalId;

  TopologyClients(Runnable onCommitted) {
    this.onCommitted = onCommitted;
  }

  /** Returns the transactional id of the newest thread; null before the first. */
  @Nullable String transactionalId() {
    return transactionalId;
  }

  @Override
  public Admin getAdmin(Map<String, Object> config) {
    return Admin.create(config);
  }

  @Override
  public Producer<byte[], byte[]> getProducer(Map<String, Object> config) {
    if (config.get(ProducerConfig.TRANSACTIONAL_ID_CONFIG) instanceof String id) {
      transactionalId = id;
    }
    return new KafkaProducer<>(config, new ByteArraySerializer(), new ByteArraySerializer()) {
      @Override
      public void commitTransaction() {
        super.commitTransaction();
        onCommitted.run();
      }
    };
  }

  @Override
  public Consumer<byte[], byte[]> getConsumer(Map<String, Object> config) {
    return new KafkaConsumer<>(config, new ByteArrayDeserializer(), new ByteArrayDeserializer());
  }

  @Override
  public Consumer<byte[], byte[]> getRestoreConsumer(Map<String, Object> config) {
    return getConsumer(config);
  }

  @Override
  public Consumer<byte[], byte[]> getGlobalConsumer(Map<String, Object> config) {
    return getConsumer(config);
  }
}
