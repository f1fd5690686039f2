package dev.sluice.producer.generator;

import dev.sluice.contract.event.Event;
import dev.sluice.contract.event.Fact;
import dev.sluice.contract.event.Outcome;
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
  Reader<RunRecord> openRuns();

  Reader<Fact> openFacts();

  /** Opens a reader of the committed outcomes of all shards and of the topic {@code runs}. */
  Reader<Event> openOutcomesAndRuns();

  /**
   * Opens a reader of the outcomes of all shards, each as soon as it is in the log. An outcome that
   * is not committed yet can only be made again identically.
   */
  Reader<Outcome> openOutcomesAtOnce();

  Writer openWriter();

  /**
   * Writes why the run was given up; the broker itself may be the cause, and refuse it or exceed
   * the limit.
   */
  void writeLastWord(RunEnded ended, Duration limit)
      throws ExecutionException, TimeoutException, InterruptedException;

  /** Largest distance seen between this process's clock and the broker's append time. */
  long clockOffsetNsMax();

  /**
   * A reader of topics from their first record on. Records that are no event are passed over:
   * analytics keeps them. Used by one thread.
   */
  interface Reader<E extends Event> extends AutoCloseable {
    /** Hands over records that have come in, after waiting for them at most for the timeout. */
    void poll(Duration timeout, Sink<? super E> sink);

    /** Returns whether all that stood when this reader was opened has been read. */
    boolean hasReadWhatStood();

    @Override
    void close();
  }

  @FunctionalInterface
  interface Sink<E> {
    void take(int partition, E event);
  }

  /** A writer that keeps the order of its calls. Its methods may be called from any thread. */
  interface Writer extends AutoCloseable {
    /** Looks up the topics, so that the first append does not wait for the look-up. */
    void findTopics();

    Future<?> append(RunRecord entry);

    /**
     * Appends a fact to a shard, without waiting while the writer has room.
     *
     * @param onFailure called from a thread of the log
     */
    Future<?> append(int shard, Fact fact, Consumer<Throwable> onFailure);

    void flush();

    /** Waits some seconds for appended records, then gives them up and ends a flush that waits. */
    @Override
    void close();
  }
}
