package dev.sluice.analytics.log;

import dev.sluice.analytics.abort.EarlyEnd;
import dev.sluice.analytics.fold.LiveSnapshot;
import dev.sluice.analytics.fold.RunContext;
import dev.sluice.analytics.report.RunReport;
import dev.sluice.contract.event.RunDescribed;
import dev.sluice.contract.event.RunEnded;
import dev.sluice.contract.event.RunStarted;
import dev.sluice.contract.event.RunSummarized;
import dev.sluice.contract.log.LogClients;
import dev.sluice.contract.log.Topics;
import dev.sluice.contract.time.ProcessClock;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import java.util.function.Supplier;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.common.KafkaException;
import org.jspecify.annotations.Nullable;

/**
 * Reads a run's topics from their beginning, committed records only. The topics must exist.
 *
 * <p>While the run goes on, a thread of the reader folds the records into counts whose memory does
 * not grow with the jobs. It writes the run's description and each whole second of counts to the
 * metrics topic, once, also when an earlier process has written some, and between them the batches
 * that have ended. It ends an abandoned run, whose jobs have all ended and which has no end. {@link
 * #report} reads everything a second time, into rows.
 *
 * <p>Records that are no event are counted by topic. Those of outcomes and runs go to the dead
 * letters with topic, partition, offset and error in their headers; the scheduler and the executor
 * send unreadable facts and dispatches there. A broker may be away for a minute. A failure of the
 * thread is thrown from the next call.
 */
public final class EventLogReader implements AutoCloseable {
  private final Supplier<Consumer<byte[], byte[]>> again;
  private final Topics topics;
  private final ProcessClock clock;
  private final LiveReading live;
  private final CompletableFuture<Void> wholeRun;
  private final Thread thread;

  /**
   * Starts to read.
   *
   * @param describe makes the description of a run that has begun; called on the reader's thread
   * @param early what ends the run before its time; null: nothing does
   */
  public EventLogReader(
      LogClients clients,
      Topics topics,
      ProcessClock clock,
      Function<RunStarted, RunDescribed> describe,
      @Nullable EarlyEnd early) {
    this(
        ReaderClients.consumer(clients),
        () -> ReaderClients.again(clients),
        ReaderClients.producer(clients),
        topics,
        clock,
        describe,
        early);
  }

  /** Starts to read a run that no threshold ends. */
  public EventLogReader(
      LogClients clients,
      Topics topics,
      ProcessClock clock,
      Function<RunStarted, RunDescribed> describe) {
    this(clients, topics, clock, describe, null);
  }

  EventLogReader(
      Supplier<Consumer<byte[], byte[]>> consumers,
      Producer<byte[], byte[]> producer,
      Topics topics,
      ProcessClock clock,
      Function<RunStarted, RunDescribed> describe) {
    this(consumers.get(), consumers, producer, topics, clock, describe, null);
  }

  /**
   * @param again opens the consumer of the second reading
   */
  private EventLogReader(
      Consumer<byte[], byte[]> consumer,
      Supplier<Consumer<byte[], byte[]>> again,
      Producer<byte[], byte[]> producer,
      Topics topics,
      ProcessClock clock,
      Function<RunStarted, RunDescribed> describe,
      @Nullable EarlyEnd early) {
    this.again = again;
    this.topics = topics;
    this.clock = clock;
    this.live = new LiveReading(consumer, producer, topics, clock, describe, early);
    this.wholeRun = live.wholeRun();
    this.thread = new Thread(live, "analytics-reader");
    thread.setDaemon(true);
    thread.start();
  }

  /**
   * Snapshot of the run so far.
   *
   * @throws IllegalStateException if reading has failed
   */
  public LiveSnapshot snapshot() {
    throwFailure();
    return live.snapshot();
  }

  /** Counts of what has been read and written so far; never throws. */
  public ReaderNumbers numbers() {
    return live.numbers();
  }

  /** The run's beginning; null before it was read. */
  public @Nullable RunStarted started() {
    return live.started();
  }

  /** The run's end; null before it was read. */
  public @Nullable RunEnded ended() {
    return live.ended();
  }

  /**
   * Waits until the run has ended, every job sent has its outcome (unless it was given up), and all
   * topics are read to their end.
   *
   * @return true if all of that happened in time
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
   * Reads all records that the log holds by now, on the caller's thread, and reports on them: on
   * the whole run after {@link #awaitRunEnd}. Before that the reader soon gives up a broker that
   * does not answer.
   *
   * @param recording takes every record of the run's topics, and is finished; null: none is made
   * @throws IllegalStateException if reading has failed
   */
  public RunReport report(RunContext context, @Nullable RunRecording recording) {
    throwFailure();
    Duration limit =
        wholeRun.isDone() ? ReaderClients.ANSWER_LIMIT : ReaderClients.ANSWER_LIMIT_IN_VAIN;
    var second = new SecondReading(topics, clock);
    try (Consumer<byte[], byte[]> consumer = again.get()) {
      return RunReport.of(second.read(consumer, limit, recording), context);
    } catch (KafkaException | IllegalStateException e) {
      throw failed(e);
    }
  }

  /** Stops reading, and writes the run's summary behind all windows, unless one is there. */
  public void summarize(RunSummarized summary) {
    stop();
    live.summarize(summary);
  }

  /** Stops reading and frees the clients. */
  @Override
  public void close() {
    stop();
    live.close();
  }

  private void stop() {
    live.stop();
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
}
