package dev.sluice.executor.dispatch;

import dev.sluice.contract.event.Fact;
import dev.sluice.contract.log.DeadLetter;
import dev.sluice.contract.log.EventCodec;
import dev.sluice.contract.log.LogClients;
import dev.sluice.contract.log.ProcessClock;
import dev.sluice.contract.log.Reading;
import dev.sluice.contract.log.Topics;
import dev.sluice.contract.log.Writing;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.apache.kafka.clients.consumer.CloseOptions;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.WakeupException;
import org.jspecify.annotations.Nullable;

/**
 * The executor's side of Kafka: one consumer without a group, which reads uncommitted records, and
 * one plain idempotent producer. Dispatches are read from the topic's end: an executor that has not
 * reported yet cannot have any.
 */
final class KafkaExecutorLog implements ExecutorLog {
  private static final Duration CLOSE_MAX = Duration.ofSeconds(10);

  private final Topics topics;
  private final int shard;
  private final ProcessClock clock;
  private final Consumer<Throwable> onFailure;
  private final KafkaConsumer<byte[], byte[]> consumer;
  private final KafkaProducer<byte[], byte[]> producer;
  private final AtomicLong clockOffsetNsMax = new AtomicLong();

  /**
   * Opens the log at the beginning of the runs and the end of the dispatches.
   *
   * @param onFailure called when a record cannot be written, from the producer's thread
   */
  KafkaExecutorLog(
      Topics topics,
      int shard,
      LogClients kafka,
      ProcessClock clock,
      Consumer<Throwable> onFailure) {
    this.topics = topics;
    this.shard = shard;
    this.clock = clock;
    this.onFailure = onFailure;
    consumer = kafka.consumer(Reading.AT_ONCE);
    try {
      var runs = new TopicPartition(topics.runs(), 0);
      var dispatches = new TopicPartition(topics.dispatches(), shard);
      consumer.assign(List.of(runs, dispatches));
      consumer.seekToBeginning(List.of(runs));
      consumer.seekToEnd(List.of(dispatches));
      consumer.position(runs);
      consumer.position(dispatches); // both seeks are lazy until a position is asked for
      producer = kafka.producer(Writing.FACTS);
    } catch (RuntimeException e) {
      consumer.close();
      throw e;
    }
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
    send(
        new ProducerRecord<>(topics.facts(), shard, null, EventCodec.FACTS.write(fact)),
        written -> measureOffset(sentEpochNs, written));
  }

  private void send(ProducerRecord<byte[], byte[]> record, Consumer<RecordMetadata> onWritten) {
    var unused =
        producer.send(
            record,
            (written, failure) -> {
              if (failure != null) {
                onFailure.accept(failure);
              } else {
                onWritten.accept(written);
              }
            });
  }

  /**
   * Takes in one append. It happened between sending and now, so a date outside that span shows an
   * offset of the clocks.
   */
  private void measureOffset(long sentEpochNs, RecordMetadata written) {
    long appendedEpochNs = written.timestamp() * 1_000_000;
    long offsetNs =
        clockOffsetNs(sentEpochNs, appendedEpochNs, appendedEpochNs + 1_000_000, clock.epochNs());
    clockOffsetNsMax.accumulateAndGet(offsetNs, Math::max);
  }

  /** Least distance between the clocks that explains these times; a date is a millisecond. */
  static long clockOffsetNs(long sentNs, long appendedFromNs, long appendedToNs, long nowNs) {
    return Math.max(0, Math.max(sentNs - appendedToNs, appendedFromNs - nowNs));
  }

  @Override
  public void putAside(ConsumerRecord<byte[], byte[]> received, @Nullable String error) {
    send(DeadLetter.of(topics, received, error), written -> {});
  }

  @Override
  public long clockOffsetNsMax() {
    return clockOffsetNsMax.get();
  }

  @Override
  public void close() {
    producer.close(CLOSE_MAX);
    // Without a group there is nobody to tell; an answer that waits for records would take half a
    // second.
    consumer.close(CloseOptions.timeout(Duration.ZERO));
  }
}
