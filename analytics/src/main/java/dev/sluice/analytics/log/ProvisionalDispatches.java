package dev.sluice.analytics.log;

import dev.sluice.analytics.fold.LiveFold;
import dev.sluice.contract.codec.EventCodec;
import dev.sluice.contract.codec.UnreadableEventException;
import dev.sluice.contract.event.BatchDispatched;
import dev.sluice.contract.log.Topics;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.function.IntToLongFunction;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Dispatches read before they are committed, as executors read them: they can only be made again
 * identically. Each is decoded once for both readings. This reading is only ever ahead of the
 * committed one: while that one has a backlog, this one rests. For use by one thread.
 */
final class ProvisionalDispatches implements AutoCloseable {
  /** Most dispatches of a shard that are ahead of the committed reading. */
  private static final int AHEAD_MAX = 20_000;

  private static final Logger LOG = LoggerFactory.getLogger(ProvisionalDispatches.class);

  private final Consumer<byte[], byte[]> consumer;
  private final Topics topics;
  private final Map<Integer, Shard> shards = new TreeMap<>();

  /** Dispatches of a shard. */
  private static final class Shard {
    final TopicPartition partition;

    /** Dispatches that the committed reading has not come to. */
    final Deque<Decoded> ahead = new ArrayDeque<>();

    /** Dispatches that rest on facts that have not been applied. */
    final Deque<BatchDispatched> waiting = new ArrayDeque<>();

    Shard(TopicPartition partition) {
      this.partition = partition;
    }
  }

  private record Decoded(long offset, BatchDispatched dispatch) {}

  /** Reads with a consumer of uncommitted records, which it closes. */
  ProvisionalDispatches(Consumer<byte[], byte[]> consumer, Topics topics) {
    this.consumer = consumer;
    this.topics = topics;
  }

  /** Reads those of the partitions that hold dispatches, from their beginning. */
  void assign(List<TopicPartition> partitions) {
    List<TopicPartition> dispatches =
        partitions.stream().filter(p -> p.topic().equals(topics.dispatches())).toList();
    dispatches.forEach(partition -> shards.put(partition.partition(), new Shard(partition)));
    RunPartitions.assign(consumer, dispatches);
  }

  /** Takes what has arrived, without waiting. */
  void poll(Consumer<byte[], byte[]> committed) {
    shards.values().forEach(shard -> keepAhead(shard, committed));
    for (ConsumerRecord<byte[], byte[]> entry : consumer.poll(Duration.ZERO)) {
      Shard shard = shard(entry.partition());
      try {
        var dispatch = EventCodec.DISPATCHES.read(RunPartitions.bytes(entry));
        shard.ahead.add(new Decoded(entry.offset(), dispatch));
        shard.waiting.add(dispatch);
      } catch (UnreadableEventException e) {
        LOG.debug("the committed reading counts offset {}", entry.offset(), e);
      }
    }
  }

  private void keepAhead(Shard shard, Consumer<byte[], byte[]> committed) {
    List<TopicPartition> partition = List.of(shard.partition);
    long committedOffset = committed.position(shard.partition);
    OptionalLong lag = committed.currentLag(shard.partition);
    boolean caughtUp = lag.isPresent() && lag.getAsLong() == 0;
    long offset = consumer.position(shard.partition);
    if ((offset <= committedOffset && !caughtUp) || shard.ahead.size() > AHEAD_MAX) {
      consumer.pause(partition);
      return;
    }
    if (offset < committedOffset) {
      consumer.seek(shard.partition, committedOffset);
    }
    consumer.resume(partition);
  }

  /** The dispatch of a committed record, if it has been decoded here; else null. */
  @Nullable BatchDispatched decoded(ConsumerRecord<byte[], byte[]> committed) {
    Deque<Decoded> ahead = shard(committed.partition()).ahead;
    while (!ahead.isEmpty() && ahead.element().offset() < committed.offset()) {
      ahead.remove(); // its transaction was given up: it has been made again
    }
    return ahead.isEmpty() || ahead.element().offset() > committed.offset()
        ? null
        : ahead.remove().dispatch();
  }

  /**
   * Applies the dispatches whose facts have been applied.
   *
   * @param appliedFactOffset offset of the last applied fact of a shard
   */
  void applyTo(LiveFold fold, IntToLongFunction appliedFactOffset) {
    shards.forEach(
        (index, shard) -> {
          long applied = appliedFactOffset.applyAsLong(index);
          while (!shard.waiting.isEmpty()
              && shard.waiting.element().dispatchId().factOffset() <= applied) {
            fold.onProvisionalDispatch(shard.waiting.remove(), index);
          }
        });
  }

  private Shard shard(int index) {
    Shard shard = shards.get(index);
    if (shard == null) {
      throw new IllegalStateException(topics.dispatches() + " has no partition (" + index + ")");
    }
    return shard;
  }

  @Override
  public void close() {
    consumer.close();
  }
}
