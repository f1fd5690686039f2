package dev.sluice.bench.chaos;

import dev.sluice.contract.event.MetricsWindow;
import dev.sluice.contract.log.EventCodec;
import dev.sluice.contract.log.Reading;
import dev.sluice.contract.log.Topics;
import dev.sluice.contract.log.UnreadableEventException;
import dev.sluice.harness.kafka.KafkaAccess;
import dev.sluice.harness.machine.MachineClock;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.stream.IntStream;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;

/**
 * Moments at which a fault meets much that is under way, as the run's topics tell them. Each wait
 * ends early if the run is over.
 */
public final class Moments {
  private static final Duration POLL = Duration.ofMillis(10);
  private static final long SNAPSHOT_LIMIT_MS = 120_000;
  private static final long WAITING_LIMIT_MS = 600_000;

  private final KafkaAccess kafka;
  private final Topics topics;
  private final int shards;
  private final CountDownLatch over;

  /**
   * @param over counted down when the run is over
   */
  public Moments(KafkaAccess kafka, Topics topics, int shards, CountDownLatch over) {
    this.kafka = kafka;
    this.topics = topics;
    this.shards = shards;
    this.over = over;
  }

  /**
   * Waits until a scheduler has begun to write a snapshot. Its later parts, or the commit of them
   * all, are still to come, unless it is quicker than this process.
   *
   * @return the shard
   */
  int awaitSnapshot() throws InterruptedException {
    String changelog = topics.prefix() + ".scheduler-state-changelog";
    List<TopicPartition> all =
        IntStream.range(0, shards).mapToObj(shard -> new TopicPartition(changelog, shard)).toList();
    try (var consumer = readerFromTheEnd(all)) {
      long deadlineNs = deadlineNs(SNAPSHOT_LIMIT_MS);
      while (true) {
        for (ConsumerRecord<byte[], byte[]> entry : consumer.poll(POLL)) {
          String key = new String(entry.key(), StandardCharsets.UTF_8);
          if (entry.value() != null && key.contains("/")) { // a chunk: NAME/NUMBER
            return entry.partition();
          }
        }
        goOnOrThrow(deadlineNs, "no scheduler wrote a snapshot", SNAPSHOT_LIMIT_MS);
      }
    }
  }

  /** Waits until that many jobs wait, by the windows of analytics. */
  public void awaitWaiting(long jobs) throws InterruptedException {
    try (var consumer = readerFromTheEnd(List.of(new TopicPartition(topics.metrics(), 0)))) {
      long deadlineNs = deadlineNs(WAITING_LIMIT_MS);
      long most = 0;
      while (most < jobs) {
        for (ConsumerRecord<byte[], byte[]> entry : consumer.poll(POLL)) {
          most = Math.max(most, waitingIn(entry.value()));
        }
        goOnOrThrow(
            deadlineNs, "at most " + most + " of " + jobs + " jobs waited", WAITING_LIMIT_MS);
      }
    }
  }

  private static long waitingIn(byte[] metrics) {
    try {
      return EventCodec.METRICS.read(metrics) instanceof MetricsWindow window
          ? window.waiting()
          : 0;
    } catch (UnreadableEventException e) {
      throw new IllegalStateException("analytics wrote what is no window", e);
    }
  }

  private KafkaConsumer<byte[], byte[]> readerFromTheEnd(List<TopicPartition> partitions) {
    KafkaConsumer<byte[], byte[]> consumer = kafka.clients().consumer(Reading.AT_ONCE);
    consumer.assign(partitions);
    consumer.seekToEnd(partitions);
    partitions.forEach(consumer::position); // now, not at the first poll
    return consumer;
  }

  private static long deadlineNs(long limitMs) {
    return MachineClock.monotonicNs() + limitMs * 1_000_000;
  }

  private void goOnOrThrow(long deadlineNs, String what, long limitMs) throws InterruptedException {
    if (over.getCount() == 0) {
      throw new InterruptedException("the run is over");
    }
    if (MachineClock.monotonicNs() - deadlineNs > 0) {
      throw new IllegalStateException(what + " within " + limitMs / 1000 + " s");
    }
  }
}
