package dev.sluice.analytics;

import dev.sluice.contract.Event;
import dev.sluice.contract.EventCodec;
import dev.sluice.contract.ProcessClock;
import dev.sluice.contract.Topics;
import dev.sluice.contract.UnreadableEventException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.PartitionInfo;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.WakeupException;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.jspecify.annotations.Nullable;

/**
 * Reads a run's topics from their beginning, committed records only, on a thread of its own, and
 * folds them. The topics must exist.
 *
 * <p>Bytes that are no event are counted by topic; those of outcomes and runs go to the dead
 * letters with topic, partition, offset and error in their headers. Those of facts and dispatches
 * are sent there by the scheduler and the executor. A failure of the thread is thrown from the next
 * call.
 */
public final class EventLogReader implements AutoCloseable {
  /** How long a read waits; it bounds how stale a snapshot is, not how fast records come. */
  private static final Duration POLL = Duration.ofMillis(100);

  private final Topics topics;
  private final ProcessClock clock;
  private final Consumer<byte[], byte[]> consumer;
  private final Producer<byte[], byte[]> deadLetters;
  private final Map<String, EventCodec<? extends Event>> codecs;
  private final RunFold fold = new RunFold();
  private final CompletableFuture<Void> wholeRun = new CompletableFuture<>();
  private final Thread thread = new Thread(this::readToTheEnd, "analytics-reader");
  private volatile boolean closing;

  /**
   * Starts to read.
   *
   * @param clientProperties how to reach the broker: bootstrap.servers and what a secured one needs
   */
  public EventLogReader(Map<String, Object> clientProperties, Topics topics, ProcessClock clock) {
    this(consumer(clientProperties), producer(clientProperties), topics, clock);
  }

  EventLogReader(
      Consumer<byte[], byte[]> consumer,
      Producer<byte[], byte[]> deadLetters,
      Topics topics,
      ProcessClock clock) {
    this.consumer = consumer;
    this.deadLetters = deadLetters;
    this.topics = topics;
    this.clock = clock;
    this.codecs = new LinkedHashMap<>();
    codecs.put(topics.runs(), EventCodec.RUNS);
    codecs.put(topics.facts(), EventCodec.FACTS);
    codecs.put(topics.dispatches(), EventCodec.DISPATCHES);
    codecs.put(topics.outcomes(), EventCodec.OUTCOMES);
    thread.setDaemon(true);
    thread.start();
  }

  private static Consumer<byte[], byte[]> consumer(Map<String, Object> clientProperties) {
    Map<String, Object> properties = new HashMap<>(clientProperties);
    properties.put("isolation.level", "read_committed");
    properties.put("enable.auto.commit", false);
    properties.put("auto.offset.reset", "none");
    return new KafkaConsumer<>(
        properties, new ByteArrayDeserializer(), new ByteArrayDeserializer());
  }

  private static Producer<byte[], byte[]> producer(Map<String, Object> clientProperties) {
    Map<String, Object> properties = new HashMap<>(clientProperties);
    properties.put("linger.ms", 0);
    properties.put("acks", "all");
    return new KafkaProducer<>(properties, new ByteArraySerializer(), new ByteArraySerializer());
  }

  /**
   * The run so far.
   *
   * @throws IllegalStateException if reading has failed
   */
  public LiveSnapshot snapshot() {
    throwFailure();
    synchronized (fold) {
      return fold.snapshot(clock.epochNs() / 1_000_000);
    }
  }

  /**
   * Waits until the run has ended, every job sent has its outcome, and all topics are read to their
   * end.
   *
   * @return whether that came to pass in time
   * @throws IllegalStateException if reading has failed
   */
  public boolean awaitRunEnd(Duration timeout) throws InterruptedException {
    try {
      wholeRun.get(timeout.toNanos(), TimeUnit.NANOSECONDS);
      return true;
    } catch (TimeoutException e) {
      return false;
    } catch (ExecutionException e) {
      throw failed(e.getCause());
    }
  }

  /**
   * The report of what has been read so far, of the whole run after {@link #awaitRunEnd}.
   *
   * @throws IllegalStateException if reading has failed
   */
  public RunReport report(RunContext context) {
    throwFailure();
    synchronized (fold) {
      return RunReport.of(fold, context);
    }
  }

  /** Stops reading and frees the clients. */
  @Override
  public void close() {
    closing = true;
    consumer.wakeup();
    try {
      thread.join();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void throwFailure() {
    if (wholeRun.isCompletedExceptionally()) {
      throw failed(wholeRun.handle((nothing, failure) -> failure).join());
    }
  }

  private static IllegalStateException failed(@Nullable Throwable cause) {
    return new IllegalStateException("the event log could not be read to its end", cause);
  }

  private void readToTheEnd() {
    try (consumer;
        deadLetters) {
      List<TopicPartition> partitions = partitions();
      consumer.assign(partitions);
      consumer.seekToBeginning(partitions);
      Map<TopicPartition, Long> ends = null;
      while (!closing && !wholeRun.isDone()) {
        boolean complete = foldNext();
        if (complete && ends == null) {
          ends = consumer.endOffsets(partitions); // heartbeats go on: the end is where it is now
        }
        if (ends != null && isReadTo(ends)) {
          deadLetters.flush();
          wholeRun.complete(null);
        }
      }
    } catch (WakeupException e) {
      if (!closing) {
        wholeRun.completeExceptionally(e);
      }
    } catch (RuntimeException | Error e) {
      wholeRun.completeExceptionally(e);
    }
  }

  private List<TopicPartition> partitions() {
    List<TopicPartition> partitions = new ArrayList<>();
    for (String topic : codecs.keySet()) {
      List<PartitionInfo> infos = consumer.partitionsFor(topic);
      if (infos == null || infos.isEmpty()) {
        throw new IllegalStateException("topic " + topic + " does not exist");
      }
      infos.forEach(info -> partitions.add(new TopicPartition(topic, info.partition())));
    }
    return partitions;
  }

  /** Folds what has arrived; returns whether the run is complete. */
  private boolean foldNext() {
    var records = consumer.poll(POLL);
    synchronized (fold) {
      for (ConsumerRecord<byte[], byte[]> record : records) {
        foldRecord(record);
      }
      return fold.isComplete();
    }
  }

  private void foldRecord(ConsumerRecord<byte[], byte[]> record) {
    EventCodec<? extends Event> codec = codecs.get(record.topic());
    if (codec == null) {
      throw new IllegalStateException("topic " + record.topic() + " was not asked for");
    }
    try {
      if (record.value() == null) {
        throw new UnreadableEventException("a record without a value is no event", null);
      }
      fold.apply(codec.read(record.value()), record.partition(), record.timestamp());
    } catch (UnreadableEventException e) {
      fold.countUnreadable(record.topic());
      if (record.topic().equals(topics.outcomes()) || record.topic().equals(topics.runs())) {
        sendToDeadLetters(record, e);
      }
    }
  }

  private void sendToDeadLetters(
      ConsumerRecord<byte[], byte[]> record, UnreadableEventException error) {
    var letter = new ProducerRecord<>(topics.deadLetters(), null, record.key(), record.value());
    header(letter, "source-topic", record.topic());
    header(letter, "source-partition", Integer.toString(record.partition()));
    header(letter, "source-offset", Long.toString(record.offset()));
    header(letter, "error", String.valueOf(error.getMessage()));
    var unused =
        deadLetters.send(
            letter,
            (metadata, failure) -> {
              if (failure != null) {
                wholeRun.completeExceptionally(failure);
              }
            });
  }

  private static void header(ProducerRecord<byte[], byte[]> letter, String name, String value) {
    letter.headers().add(name, value.getBytes(StandardCharsets.UTF_8));
  }

  /** Whether no committed record is left to read at this moment. */
  private boolean isReadTo(Map<TopicPartition, Long> ends) {
    return ends.entrySet().stream().allMatch(e -> consumer.position(e.getKey()) >= e.getValue());
  }
}
