package dev.sluice.producer.generator;

import dev.sluice.contract.event.Event;
import dev.sluice.contract.event.Fact;
import dev.sluice.contract.event.Outcome;
import dev.sluice.contract.event.RunEnded;
import dev.sluice.contract.event.RunRecord;
import dev.sluice.contract.log.EventCodec;
import dev.sluice.contract.log.ProcessClock;
import dev.sluice.contract.log.Reading;
import dev.sluice.contract.log.TopicReader;
import dev.sluice.contract.log.Topics;
import dev.sluice.contract.log.UnreadableEventException;
import dev.sluice.contract.log.Writing;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.ObjIntConsumer;
import java.util.stream.IntStream;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;

/**
 * A run's log as its generators see it: topics that they read from the first record, and writers
 * that keep the order of their sends. Its topics must exist. Every call may throw a {@link
 * org.apache.kafka.common.KafkaException}; a call that waits and is interrupted throws Kafka's
 * {@link org.apache.kafka.common.errors.InterruptException}.
 */
final class GeneratorLog {
  private static final Duration CLOSE_MAX = Duration.ofSeconds(5);

  private final Topics topics;
  private final int shards;
  private final int lingerMs;
  private final Function<Reading, Consumer<byte[], byte[]>> consumers;
  private final BiFunction<Writing, Integer, Producer<byte[], byte[]>> producers;
  private final ProcessClock clock;
  private final ClockOffset clockOffset = new ClockOffset();

  /**
   * @param consumers makes a consumer for each reader
   * @param producers makes a producer for each writer, which gathers records for some milliseconds
   */
  GeneratorLog(
      GeneratorSettings settings,
      Function<Reading, Consumer<byte[], byte[]>> consumers,
      BiFunction<Writing, Integer, Producer<byte[], byte[]>> producers,
      ProcessClock clock) {
    topics = settings.topics();
    shards = settings.shards();
    lingerMs = settings.lingerMs();
    this.consumers = consumers;
    this.producers = producers;
    this.clock = clock;
  }

  Reader<RunRecord> openRuns() {
    return reader(Reading.IN_NO_HURRY, runs(), entry -> EventCodec.RUNS);
  }

  Reader<Fact> openFacts() {
    return reader(Reading.IN_NO_HURRY, partitions(topics.facts()), entry -> EventCodec.FACTS);
  }

  /** Opens a reader of the committed outcomes of all shards and of the topic {@code runs}. */
  Reader<Event> openOutcomesAndRuns() {
    List<TopicPartition> both = new ArrayList<>(partitions(topics.outcomes()));
    both.addAll(runs());
    return reader(
        Reading.COMMITTED_IN_NO_HURRY,
        both,
        entry -> entry.topic().equals(topics.runs()) ? EventCodec.RUNS : EventCodec.OUTCOMES);
  }

  /**
   * Opens a reader of the outcomes of all shards, each as soon as it is in the log. An outcome that
   * is not committed yet can only be made again identically.
   */
  Reader<Outcome> openOutcomesAtOnce() {
    return reader(Reading.AT_ONCE, partitions(topics.outcomes()), entry -> EventCodec.OUTCOMES);
  }

  private List<TopicPartition> runs() {
    return List.of(new TopicPartition(topics.runs(), 0));
  }

  private List<TopicPartition> partitions(String topic) {
    return IntStream.range(0, shards).mapToObj(shard -> new TopicPartition(topic, shard)).toList();
  }

  private <E extends Event> Reader<E> reader(
      Reading reading,
      List<TopicPartition> partitions,
      Function<ConsumerRecord<byte[], byte[]>, EventCodec<? extends E>> codec) {
    Consumer<byte[], byte[]> consumer = consumers.apply(reading);
    try {
      consumer.assign(partitions);
      consumer.seekToBeginning(partitions);
      return new Reader<>(consumer, consumer.endOffsets(partitions), codec);
    } catch (RuntimeException e) {
      try (consumer) {
        throw e;
      }
    }
  }

  Writer openWriter() {
    return new Writer(producers.apply(Writing.ARRIVALS, lingerMs));
  }

  /**
   * Writes why the run was given up; the broker itself may be the cause, and refuse it or exceed
   * the limit.
   */
  void writeLastWord(RunEnded ended, Duration limit)
      throws ExecutionException, TimeoutException, InterruptedException {
    Producer<byte[], byte[]> producer = producers.apply(Writing.LAST_WORD, 0);
    try (producer) {
      producer.send(runRecord(ended)).get(limit.toMillis(), TimeUnit.MILLISECONDS);
    }
  }

  /** Largest distance seen between this process's clock and the broker's append time. */
  long clockOffsetNsMax() {
    return clockOffset.maxNs();
  }

  private ProducerRecord<byte[], byte[]> runRecord(RunRecord entry) {
    return new ProducerRecord<>(topics.runs(), 0, null, EventCodec.RUNS.write(entry));
  }

  /**
   * A reader of topics from their first record on. Records that are no event are passed over:
   * analytics keeps them. Used by one thread.
   */
  record Reader<E extends Event>(
      Consumer<byte[], byte[]> consumer,
      Map<TopicPartition, Long> stoodUpTo,
      Function<ConsumerRecord<byte[], byte[]>, EventCodec<? extends E>> codec)
      implements AutoCloseable {
    /** Hands over events and their shards, after waiting for them at most for the timeout. */
    void poll(Duration timeout, ObjIntConsumer<? super E> sink) {
      for (ConsumerRecord<byte[], byte[]> entry : consumer.poll(timeout)) {
        if (entry.value() != null) {
          try {
            sink.accept(codec.apply(entry).read(entry.value()), entry.partition());
          } catch (UnreadableEventException e) {
            // analytics keeps it
          }
        }
      }
    }

    /** Returns whether all that stood when this reader was opened has been read. */
    boolean hasReadWhatStood() {
      return TopicReader.hasReadTo(stoodUpTo, consumer);
    }

    @Override
    public void close() {
      consumer.close();
    }
  }

  /** A writer that keeps the order of its calls. Its methods may be called from any thread. */
  final class Writer implements AutoCloseable {
    private final Producer<byte[], byte[]> producer;

    private Writer(Producer<byte[], byte[]> producer) {
      this.producer = producer;
    }

    Future<?> append(RunRecord entry) {
      return producer.send(runRecord(entry));
    }

    /** Looks up the topics, so that the first append does not wait for the look-up. */
    void findTopics() {
      producer.partitionsFor(topics.facts());
      producer.partitionsFor(topics.runs());
    }

    /**
     * Appends a fact to a shard, without waiting while the writer has room.
     *
     * @param onFailure called from a thread of the log
     */
    Future<?> append(int shard, Fact fact, java.util.function.Consumer<Throwable> onFailure) {
      byte[] bytes = EventCodec.FACTS.write(fact);
      long sentEpochNs = clock.epochNs();
      return producer.send(
          new ProducerRecord<>(topics.facts(), shard, null, bytes),
          (metadata, exception) -> {
            if (exception == null && metadata.hasTimestamp()) {
              clockOffset.observe(sentEpochNs, clock.epochNs(), metadata.timestamp());
            }
            if (exception != null) {
              onFailure.accept(exception);
            }
          });
    }

    void flush() {
      producer.flush();
    }

    /** Waits some seconds for appended records, then gives them up and ends a flush that waits. */
    @Override
    public void close() {
      producer.close(CLOSE_MAX);
    }
  }

  /**
   * The largest distance seen between this process's clock and the broker's append time. A record
   * is appended between its send and its acknowledgement. An append time in that span, rounded down
   * to a millisecond, is consistent with the clock and counts as 0. Thread-safe.
   */
  static final class ClockOffset {
    private static final long NS_PER_MS = 1_000_000;
    private final AtomicLong maxNs = new AtomicLong();

    void observe(long sentEpochNs, long acknowledgedEpochNs, long appendedEpochMs) {
      long appendedFirstNs = appendedEpochMs * NS_PER_MS;
      long appendedLastNs = appendedFirstNs + NS_PER_MS - 1;
      long behindNs = sentEpochNs - appendedLastNs;
      long aheadNs = appendedFirstNs - acknowledgedEpochNs;
      maxNs.accumulateAndGet(Math.max(behindNs, aheadNs), Math::max);
    }

    long maxNs() {
      return maxNs.get();
    }
  }
}
