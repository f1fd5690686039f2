package dev.sluice.producer.generator;

import dev.sluice.contract.event.Event;
import dev.sluice.contract.event.Fact;
import dev.sluice.contract.event.Outcome;
import dev.sluice.contract.event.RunEnded;
import dev.sluice.contract.event.RunRecord;
import dev.sluice.contract.log.EventCodec;
import dev.sluice.contract.log.LogClients;
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
import java.util.function.Function;
import java.util.stream.IntStream;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;

/** The generators' side of Kafka: a consumer for each reader, and a producer for each writer. */
final class KafkaGeneratorLog implements GeneratorLog {
  private static final Duration CLOSE_MAX = Duration.ofSeconds(5);

  private final Topics topics;
  private final int shards;
  private final int lingerMs;
  private final LogClients clients;
  private final ProcessClock clock;
  private final ClockOffset clockOffset = new ClockOffset();

  KafkaGeneratorLog(GeneratorSettings settings, LogClients clients, ProcessClock clock) {
    topics = settings.topics();
    shards = settings.shards();
    lingerMs = settings.lingerMs();
    this.clients = clients;
    this.clock = clock;
  }

  @Override
  public Reader<RunRecord> openRuns() {
    return reader(Reading.IN_NO_HURRY, runs(), entry -> EventCodec.RUNS);
  }

  @Override
  public Reader<Fact> openFacts() {
    return reader(Reading.IN_NO_HURRY, partitions(topics.facts()), entry -> EventCodec.FACTS);
  }

  @Override
  public Reader<Event> openOutcomesAndRuns() {
    List<TopicPartition> both = new ArrayList<>(partitions(topics.outcomes()));
    both.addAll(runs());
    return reader(
        Reading.COMMITTED_IN_NO_HURRY,
        both,
        entry -> entry.topic().equals(topics.runs()) ? EventCodec.RUNS : EventCodec.OUTCOMES);
  }

  @Override
  public Reader<Outcome> openOutcomesAtOnce() {
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
    var consumer = clients.consumer(reading);
    try {
      consumer.assign(partitions);
      consumer.seekToBeginning(partitions);
      return new KafkaReader<>(consumer, consumer.endOffsets(partitions), codec);
    } catch (RuntimeException e) {
      try (consumer) {
        throw e;
      }
    }
  }

  @Override
  public Writer openWriter() {
    return new KafkaWriter(clients.gatheringProducer(Writing.ARRIVALS, lingerMs));
  }

  @Override
  public void writeLastWord(RunEnded ended, Duration limit)
      throws ExecutionException, TimeoutException, InterruptedException {
    Producer<byte[], byte[]> producer = clients.producer(Writing.LAST_WORD);
    try (producer) {
      producer.send(runRecord(ended)).get(limit.toMillis(), TimeUnit.MILLISECONDS);
    }
  }

  @Override
  public long clockOffsetNsMax() {
    return clockOffset.maxNs();
  }

  private ProducerRecord<byte[], byte[]> runRecord(RunRecord entry) {
    return new ProducerRecord<>(topics.runs(), 0, null, EventCodec.RUNS.write(entry));
  }

  private record KafkaReader<E extends Event>(
      Consumer<byte[], byte[]> consumer,
      Map<TopicPartition, Long> stoodUpTo,
      Function<ConsumerRecord<byte[], byte[]>, EventCodec<? extends E>> codec)
      implements Reader<E> {
    @Override
    public void poll(Duration timeout, Sink<? super E> sink) {
      for (ConsumerRecord<byte[], byte[]> entry : consumer.poll(timeout)) {
        if (entry.value() != null) {
          try {
            sink.take(entry.partition(), codec.apply(entry).read(entry.value()));
          } catch (UnreadableEventException e) {
            // analytics keeps it
          }
        }
      }
    }

    @Override
    public boolean hasReadWhatStood() {
      return TopicReader.hasReadTo(stoodUpTo, consumer);
    }

    @Override
    public void close() {
      consumer.close();
    }
  }

  private final class KafkaWriter implements Writer {
    private final Producer<byte[], byte[]> producer;

    KafkaWriter(Producer<byte[], byte[]> producer) {
      this.producer = producer;
    }

    @Override
    public Future<?> append(RunRecord entry) {
      return producer.send(runRecord(entry));
    }

    @Override
    public void findTopics() {
      producer.partitionsFor(topics.facts());
      producer.partitionsFor(topics.runs());
    }

    @Override
    public Future<?> append(
        int shard, Fact fact, java.util.function.Consumer<Throwable> onFailure) {
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

    @Override
    public void flush() {
      producer.flush();
    }

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
