package dev.sluice.producer.generator;

import dev.sluice.contract.codec.EventCodec;
import dev.sluice.contract.event.Event;
import dev.sluice.contract.event.Fact;
import dev.sluice.contract.event.Outcome;
import dev.sluice.contract.event.RunEnded;
import dev.sluice.contract.event.RunRecord;
import dev.sluice.contract.log.LogClients;
import dev.sluice.contract.log.TopicReader;
import dev.sluice.contract.log.Topics;
import dev.sluice.contract.time.ProcessClock;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/** The generators' side of Kafka: a consumer for each reader, and a producer for each writer. */
final class KafkaGeneratorLog implements GeneratorLog {
  private static final Duration CLOSE_MAX = Duration.ofSeconds(5);

  private final Topics topics;
  private final RunLog clients;
  private final ProcessClock clock;
  private final ClockOffset clockOffset = new ClockOffset();

  /**
   * @param clock this process's clock, whose distance to the broker's clock is measured
   */
  KafkaGeneratorLog(GeneratorSettings settings, LogClients clients, ProcessClock clock) {
    topics = settings.topics();
    this.clients = new RunLog(topics, settings.shards(), clients, settings.lingerMs());
    this.clock = clock;
  }

  @Override
  public Reader<RunRecord> openRuns() {
    return reader(
        clients.openConsumer(clients.runs()), entry -> RunLog.readOrNull(EventCodec.RUNS, entry));
  }

  @Override
  public Reader<Fact> openFacts() {
    return reader(
        clients.openConsumer(clients.facts()), entry -> RunLog.readOrNull(EventCodec.FACTS, entry));
  }

  @Override
  public Reader<Event> openOutcomesAndRuns() {
    return reader(
        clients.openCommittedConsumer(clients.outcomesAndRuns()),
        entry ->
            entry.topic().equals(topics.runs())
                ? RunLog.readOrNull(EventCodec.RUNS, entry)
                : RunLog.readOrNull(EventCodec.OUTCOMES, entry));
  }

  @Override
  public Reader<Outcome> openOutcomesAtOnce() {
    return reader(
        clients.openConsumerAtOnce(clients.outcomes()),
        entry -> RunLog.readOrNull(EventCodec.OUTCOMES, entry));
  }

  private static <E extends Event> Reader<E> reader(
      Consumer<byte[], byte[]> consumer,
      Function<ConsumerRecord<byte[], byte[]>, @Nullable E> readOrNull) {
    try {
      return new KafkaReader<>(consumer, consumer.endOffsets(consumer.assignment()), readOrNull);
    } catch (RuntimeException e) {
      try (consumer) {
        throw e;
      }
    }
  }

  @Override
  public Writer openWriter() {
    return new KafkaWriter(clients.openProducer());
  }

  @Override
  public void writeLastWord(RunEnded ended, Duration limit)
      throws ExecutionException, TimeoutException, InterruptedException {
    Producer<byte[], byte[]> producer = clients.openLastWordProducer();
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
      Function<ConsumerRecord<byte[], byte[]>, @Nullable E> readOrNull)
      implements Reader<E> {
    @Override
    public void poll(Duration timeout, Sink<? super E> sink) {
      for (ConsumerRecord<byte[], byte[]> entry : consumer.poll(timeout)) {
        E event = readOrNull.apply(entry);
        if (event != null) {
          sink.take(entry.partition(), event);
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
    public void findFacts() {
      producer.partitionsFor(topics.facts());
    }

    @Override
    public void findRuns() {
      producer.partitionsFor(topics.runs());
    }

    /** Appends a fact; the acknowledgement shows how far this clock is from the broker's. */
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
}
