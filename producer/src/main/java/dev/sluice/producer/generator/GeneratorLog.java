package dev.sluice.producer.generator;

import dev.sluice.contract.event.Event;
import dev.sluice.contract.event.Fact;
import dev.sluice.contract.event.RunEnded;
import dev.sluice.contract.event.RunRecord;
import java.time.Duration;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;

/**
 * A run's log as its generators see it: topics that they read from the first record, and writers
 * that keep the order of their sends. Its topics must exist. Every call may throw a {@link
 * org.apache.kafka.common.KafkaException}; a call that waits and is interrupted throws Kafka's
 * {@link org.apache.kafka.common.errors.InterruptException}.
 */
interface GeneratorLog {
  /** Reads the topic {@code runs}. */
  Reader<RunRecord> openRuns();

  /** Reads the facts of all shards. */
  Reader<Fact> openFacts();

  /** Reads the outcomes of all shards, as far as they are committed, and the topic {@code runs}. */
  Reader<Event> openOutcomesAndRuns();

  /** Opens a writer. */
  Writer openWriter();

  /**
   * Writes why the run was given up, when the broker itself may be the trouble.
   *
   * @throws ExecutionException if the broker refused it
   * @throws TimeoutException if it was not written within the limit
   */
  void writeLastWord(RunEnded ended, Duration limit)
      throws ExecutionException, TimeoutException, InterruptedException;

  /** The largest distance seen between this process's clock and the broker's append time. */
  long clockOffsetNsMax();

  /**
   * Topics from their first record on. Bytes that are no event are passed over: analytics keeps
   * them. Used by one thread.
   */
  interface Reader<E extends Event> extends AutoCloseable {
    /** Hands over what has come in, waiting for it at most that long. */
    void poll(Duration timeout, Sink<? super E> sink);

    /** Whether all that stood in the topics when this reader was opened has been read. */
    boolean hasReadWhatStood();

    @Override
    void close();
  }

  /** Takes what a reader hands over. */
  @FunctionalInterface
  interface Sink<E> {
    void take(int partition, E event);
  }

  /** Writes in the order of its calls. Its methods may be called from any thread. */
  interface Writer extends AutoCloseable {
    /** Finds the shards' facts, so that the first append does not wait for that. */
    void findFacts();

    /** Finds the topic {@code runs}, so that the first append does not wait for that. */
    void findRuns();

    /** Appends to the topic {@code runs}, without waiting. */
    Future<?> append(RunRecord entry);

    /**
     * Appends a fact to a shard, without waiting while the writer has room.
     *
     * @param onFailure told why the fact could not be written, from a thread of the log
     */
    Future<?> append(int shard, Fact fact, Consumer<Throwable> onFailure);

    /** Waits until all that was appended is written or refused. */
    void flush();

    /** Waits some seconds for what was appended, then gives it up and ends a flush that waits. */
    @Override
    void close();
  }
}
