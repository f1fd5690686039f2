package dev.sluice.analytics.log;

import dev.sluice.contract.log.LogClients;
import dev.sluice.contract.log.Reading;
import dev.sluice.contract.log.Writing;
import java.time.Duration;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.producer.Producer;

/** Kafka clients of the reader, and how long a broker may take to answer them. */
final class ReaderClients {
  /** Longest wait of one read: it bounds how stale a snapshot is, not how fast records come. */
  static final Duration POLL = Duration.ofMillis(100);

  /**
   * Longest wait for an answer or an acknowledgement, so that a broker can be away for a minute.
   */
  static final Duration ANSWER_LIMIT = Duration.ofMinutes(2);

  /** Longest wait where the run has not come to its end: the broker may be gone for good. */
  static final Duration ANSWER_LIMIT_IN_VAIN = Duration.ofSeconds(10);

  private ReaderClients() {}

  /** A consumer of committed records that starts at an offset that the caller sets. */
  static Consumer<byte[], byte[]> consumer(LogClients clients) {
    return clients.consumer(Reading.WHOLE_RUN, ANSWER_LIMIT);
  }

  /** As {@link #consumer}, for records that are in the log already. */
  static Consumer<byte[], byte[]> again(LogClients clients) {
    return clients.consumer(Reading.WHOLE_LOG, ANSWER_LIMIT);
  }

  /** A producer that sends at once and loses or doubles nothing. */
  static Producer<byte[], byte[]> producer(LogClients clients) {
    return clients.producer(Writing.IN_ORDER, ANSWER_LIMIT);
  }
}
