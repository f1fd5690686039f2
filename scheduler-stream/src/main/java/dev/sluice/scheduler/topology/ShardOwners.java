package dev.sluice.scheduler.topology;

import dev.sluice.contract.codec.EventCodec;
import dev.sluice.contract.codec.UnreadableEventException;
import dev.sluice.contract.event.ShardTaken;
import dev.sluice.contract.log.LogClients;
import dev.sluice.contract.log.Reading;
import dev.sluice.contract.log.TopicReader;
import dev.sluice.contract.log.Topics;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The last owner of each shard, as the topic {@code runs} says. For one thread. */
final class ShardOwners implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(ShardOwners.class);

  private final TopicPartition runs;
  private final TopicReader reader;
  private final Map<Integer, Owner> lastByShard = new TreeMap<>();

  /**
   * A shard's owner.
   *
   * @param offset offset of its record, since an instance may take a shard again under an equal id
   */
  record Owner(long offset, ShardTaken taken) {}

  ShardOwners(Topics topics, LogClients kafka) {
    runs = new TopicPartition(topics.runs(), 0);
    reader = TopicReader.open(kafka, Reading.UNCOMMITTED);
  }

  /**
   * Reads up to the topic's present end, and returns the last owner of each shard.
   *
   * @throws org.apache.kafka.common.KafkaException if the broker does not answer
   */
  List<Owner> read() {
    reader.readOn(runs, this::take);
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

  /** Makes a call that waits for the broker fail at once; from any thread. */
  void wakeUp() {
    reader.wakeUp();
  }

  @Override
  public void close() {
    reader.close();
  }
}
