package dev.sluice.executor.dispatch;

import dev.sluice.contract.event.Fact;
import java.time.Duration;
import java.util.List;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;

/**
 * The log as one executor sees it: its shard's dispatches, the run's records, and its own facts.
 */
interface ExecutorLog extends AutoCloseable {
  /** What has come in, in the order of each topic; empty when the time is over or at a wake-up. */
  List<ConsumerRecord<byte[], byte[]>> poll(Duration timeout);

  /** Ends a poll that waits, or the next one, at once. May be called from any thread. */
  void wakeUp();

  /**
   * Appends a fact to the shard; from any thread. A fact that cannot be written fails the log, and
   * the one who opened the log is told.
   */
  void append(Fact fact);

  /** Puts bytes that are no event aside. */
  void putAside(ConsumerRecord<byte[], byte[]> received, @Nullable String error);

  /** Largest distance seen between this process's clock and the broker's append time. */
  long clockOffsetNsMax();

  /** Waits until everything appended has been written, then lets go of the log. */
  @Override
  void close();
}
