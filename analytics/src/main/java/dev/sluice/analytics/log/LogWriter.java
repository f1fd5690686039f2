package dev.sluice.analytics.log;

import dev.sluice.contract.codec.EventCodec;
import dev.sluice.contract.codec.UnreadableEventException;
import dev.sluice.contract.event.RunEnded;
import dev.sluice.contract.event.WindowRecord;
import dev.sluice.contract.log.DeadLetter;
import dev.sluice.contract.log.Topics;
import java.time.Duration;
import java.util.function.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;

/**
 * Writer of analytics' own records in a run's topics: windows, an abandoned run's end, dead
 * letters.
 */
final class LogWriter implements AutoCloseable {
  /** Longest time that the last records may take on their way when the reading is ended early. */
  private static final Duration CLOSE_LIMIT = Duration.ofSeconds(5);

  private final Producer<byte[], byte[]> producer;
  private final Topics topics;
  private final Consumer<Exception> onFailure;

  /**
   * Writes with the producer, which it closes.
   *
   * @param onFailure called on the producer's thread for each record that could not be written
   */
  LogWriter(Producer<byte[], byte[]> producer, Topics topics, Consumer<Exception> onFailure) {
    this.producer = producer;
    this.topics = topics;
    this.onFailure = onFailure;
  }

  void metrics(WindowRecord record) {
    send(new ProducerRecord<>(topics.metrics(), 0, null, EventCodec.METRICS.write(record)));
  }

  void end(RunEnded end) {
    send(new ProducerRecord<>(topics.runs(), 0, null, EventCodec.RUNS.write(end)));
  }

  /** Writes a record that is no event to the dead letters, with its origin and the error. */
  void deadLetter(ConsumerRecord<byte[], byte[]> record, UnreadableEventException error) {
    send(DeadLetter.of(topics, record, error.getMessage()));
  }

  /** Waits until the broker has every record. */
  void flush() {
    producer.flush();
  }

  @Override
  public void close() {
    producer.close(CLOSE_LIMIT);
  }

  private void send(ProducerRecord<byte[], byte[]> record) {
    var unused =
        producer.send(
            record,
            (metadata, failure) -> {
              if (failure != null) {
                onFailure.accept(failure);
              }
            });
  }
}
