package dev.sluice.analytics.log;

import dev.sluice.analytics.abort.EarlyEnd;
import dev.sluice.analytics.fold.LiveSnapshot;
import dev.sluice.analytics.fold.RunContext;
import dev.sluice.analytics.fold.RunFold;
import dev.sluice.analytics.report.RunReport;
import dev.sluice.contract.event.RunDescribed;
import dev.sluice.contract.event.RunEnded;
import dev.sluice.contract.event.RunStarted;
import dev.sluice.contract.event.RunSummarized;
import dev.sluice.contract.log.LogClients;
import dev.sluice.contract.log.LogMerge;
import dev.sluice.contract.log.LogOrder;
import dev.sluice.contract.log.ProcessClock;
import dev.sluice.contract.log.Reading;
import dev.sluice.contract.log.Topics;
import dev.sluice.contract.log.UnreadableEventException;
import dev.sluice.contract.log.Writing;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
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
  /** Longest wait of one read: it bounds how stale a snapshot is, not how fast records come. */
  static final Duration POLL = Duration.ofMillis(100);

  /**
   * Longest wait for an answer or an acknowledgement, so that a broker can be away for a minute.
   */
  static final Duration ANSWER_LIMIT = Duration.ofMinutes(2);

  /** Longest wait where the run has not come to its end: the broker may be gone for good. */
  private static final Duration ANSWER_LIMIT_IN_VAIN = Duration.ofSeconds(10);

  /** Topics without the run's prefix that rows are made of. */
  private static final List<String> FOLDED = List.of("runs", "facts", "dispatches", "outcomes");

  private final Supplier<Consumer<byte[], byte[]>> again;
  private final Topics topics;
  private final ProcessClock clock;
  private final LiveReading live;
  private final CompletableFuture<Void> wholeRun;
  private final Thread thread;

  /**
   * Counts of the work so far, for the metrics of the process.
   *
   * @param recordsRead records by topic, since this process started; unreadable ones among them
   * @param recordsBehind committed records that were known and not read when the broker answered
   *     last
   * @param windowsWritten windows that this process wrote to the metrics topic
   */
  public record ReaderNumbers(
      Map<String, Long> recordsRead, long recordsBehind, long windowsWritten) {}

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
        clients.consumer(Reading.WHOLE_RUN, ANSWER_LIMIT),
        () -> clients.consumer(Reading.WHOLE_LOG, ANSWER_LIMIT),
        clients.producer(Writing.IN_ORDER, ANSWER_LIMIT),
        topics,
        clock,
        describe,
        early);
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
    Duration limit = wholeRun.isDone() ? ANSWER_LIMIT : ANSWER_LIMIT_IN_VAIN;
    var fold = new RunFold();
    try (Consumer<byte[], byte[]> consumer = again.get()) {
      var merge = new LogMerge(topics, consumer, clock, limit);
      var partitions = new RunPartitions(topics);
      merge.read(
          merge.whole(recording == null ? FOLDED : LogOrder.TOPICS),
          record -> {
            if (recording != null) {
              recording.take(merge.entry(record));
            }
            try {
              partitions.apply(fold, record);
            } catch (UnreadableEventException e) {
              fold.countUnreadable(record.topic());
            }
          });
    } catch (IOException e) {
      throw new UncheckedIOException("nothing here writes", e);
    } catch (KafkaException | IllegalStateException e) {
      throw failed(e);
    }
    if (recording != null) {
      recording.finish();
    }
    return RunReport.of(fold, context);
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
