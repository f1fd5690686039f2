package dev.sluice.executor.dispatch;

import dev.sluice.contract.event.Fact;
import java.time.Duration;
import java.util.List;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;

/** The log as one executor sees it. */
interface ExecutorLog extends AutoCloseable {
  /**
   * Returns the records that have arrived, in the order of each topic; empty after the timeout or a
   * {@link #wakeUp}, which may come from any thread.
   */
  List<ConsumerRecord<byte[], byte[]>> poll(Duration timeout);

  void wakeUp();

  /** Appends a fact to the shard, from any thread. A failure goes to the log's opener. */
  void append(Fact fact);

  void putAside(ConsumerRecord<byte[], byte[]> received, @Nullable String error);

  /** Largest distance seen between this process's clock and the broker's append time. */
  long clockOffsetNsMax();

  /** Waits until everything appended has been written, then closes the log. */
  @Override
  void close();
}
