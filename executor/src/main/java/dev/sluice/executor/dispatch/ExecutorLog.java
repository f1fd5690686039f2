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
  /**
   * Returns the records that have arrived, in the order of each topic; empty after the timeout or a
   * wake-up.
   */
  List<ConsumerRecord<byte[], byte[]>> poll(Duration timeout);

  /**
   * Ends the present poll, or the next one if none is waiting, at once. May be called from any
   * thread.
   */
  void wakeUp();

  /**
   * Appends a fact to the shard; from any thread. A fact that cannot be written fails the log, and
   * the log's opener is informed.
   */
  void append(Fact fact);

  /** Puts a record that is not a valid event aside. */
  void putAside(ConsumerRecord<byte[], byte[]> received, @Nullable String error);

  /**
   * Returns the largest distance seen between this process's clock and the broker's append time.
   */
  long clockOffsetNsMax();

  /** Waits until everything appended has been written, then closes the log. */
  @Override
  void close();
}
