package dev.sluice.scheduler.topology;

import static java.util.Objects.requireNonNull;

import dev.sluice.contract.codec.EventCodec;
import dev.sluice.contract.codec.Topics;
import dev.sluice.contract.codec.UnreadableEventException;
import dev.sluice.contract.event.ShardTaken;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Who took which shard last, as the topic {@code runs} says. For one thread. */
final class ShardOwners implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(ShardOwners.class);
  private static final Duration POLL = Duration.ofMillis(50);

  private final TopicPartition runs;
  private final KafkaConsumer<byte[], byte[]> consumer;
  private final Map<Integer, Owner> lastByShard = new TreeMap<>();

  /**
   * A shard's owner.
   *
   * @param offset where it says so: an instance may take a shard again under the same id
   */
  record Owner(long offset, ShardTaken taken) {}

  ShardOwners(Topics topics, Map<String, Object> kafka) {
    runs = new TopicPartition(topics.runs(), 0);
    var settings = new HashMap<>(kafka);
    settings.put(ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG, false);
    settings.put(ConsumerConfig.ALLOW_AUTO_CREATE_TOPICS_CONFIG, false);
    settings.put(ConsumerConfig.AUTO_OFFSET_RESET_CONFIG, "earliest");
    consumer =
        new KafkaConsumer<>(settings, new ByteArrayDeserializer(), new ByteArrayDeserializer());
    consumer.assign(List.of(runs));
  }

  /**
   * Reads on, up to what is the topic's end now, and returns the last owner of each shard.
   *
   * @throws org.apache.kafka.common.KafkaException if the broker does not answer
   */
  List<Owner> read() {
    long end = requireNonNull(consumer.endOffsets(List.of(runs)).get(runs));
    while (consumer.position(runs) < end) {
      consumer.poll(POLL).forEach(this::take);
    }
    return List.copyOf(lastByShard.values());
  }

  private void take(ConsumerRecord<byte[], byte[]> received) {
    try {
      if (received.value() != null
          && EventCodec.RUNS.read(received.value()) instanceof ShardTaken taken) {
        lastByShard.put(taken.shard(), new Owner(received.offset(), taken));
      }
    } catch (UnreadableEventException e) {
      LOG.warn("{} at {} is no event", runs, received.offset(), e); // analytics keeps it
    }
  }

  /** Lets a call that waits for the broker fail at once; from any thread. */
  void wakeUp() {
    consumer.wakeup();
  }

  @Override
  public void close() {
    consumer.close();
  }
}
