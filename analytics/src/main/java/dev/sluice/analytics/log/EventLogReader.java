package dev.sluice.analytics.log;

import dev.sluice.analytics.abort.EarlyEnd;
import dev.sluice.analytics.fold.LiveFold;
import dev.sluice.analytics.fold.LiveSnapshot;
import dev.sluice.analytics.fold.RunContext;
import dev.sluice.analytics.fold.RunFold;
import dev.sluice.analytics.fold.WindowSums;
import dev.sluice.analytics.report.RunReport;
import dev.sluice.contract.event.MetricsWindow;
import dev.sluice.contract.event.RunDescribed;
import dev.sluice.contract.event.RunEnded;
import dev.sluice.contract.event.RunStarted;
import dev.sluice.contract.event.RunSummarized;
import dev.sluice.contract.event.WindowRecord;
import dev.sluice.contract.log.DeadLetter;
import dev.sluice.contract.log.EventCodec;
import dev.sluice.contract.log.LogClients;
import dev.sluice.contract.log.LogMerge;
import dev.sluice.contract.log.ProcessClock;
import dev.sluice.contract.log.Reading;
import dev.sluice.contract.log.TopicReader;
import dev.sluice.contract.log.Topics;
import dev.sluice.contract.log.UnreadableEventException;
import dev.sluice.contract.log.Writing;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import java.util.function.Supplier;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.WakeupException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

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
  private static final Logger LOG = LoggerFactory.getLogger(EventLogReader.class);

  /** Longest wait of one read: it bounds how stale a snapshot is, not how fast records come. */
  private static final Duration POLL = Duration.ofMillis(100);

  /** Longest wait for an answer or an acknowledgement: a broker can be away for a minute. */
  private static final Duration ANSWER_LIMIT = Duration.ofMinutes(2);

  /** Longest wait where the run has not come to its end: the broker may be gone for good. */
  private static final Duration ANSWER_LIMIT_IN_VAIN = Duration.ofSeconds(10);

  /** Time without any record after which the broker is asked whether it is there. */
  private static final long SILENCE_NS = 60_000_000_000L;

  /** Longest time between records of the batches that have ended. */
  private static final long ENDED_NS_MAX = 1_000_000_000L;

  /** Longest time that the last records may take on their way when the reading is ended early. */
  private static final Duration CLOSE_LIMIT = Duration.ofSeconds(5);

  /** Shortest time between them, where dispatches have just been committed. */
  private static final long ENDED_NS_MIN = 250_000_000L;

  private final Consumer<byte[], byte[]> consumer;
  private final Supplier<Consumer<byte[], byte[]>> again;
  private final Producer<byte[], byte[]> producer;
  private final Topics topics;
  private final ProcessClock clock;
  private final Function<RunStarted, RunDescribed> describe;
  private final @Nullable EarlyEnd early;
  private final Thread thread;
  private final CompletableFuture<Void> wholeRun = new CompletableFuture<>();

  /** Lock of the fields from here to {@code dispatchesCame}. */
  private final Object lock = new Object();

  private LiveFold fold = new LiveFold();
  private boolean described;
  private boolean summarized;
  private long endedWrittenAtNs;
  private boolean dispatchesCame;

  private volatile boolean closing;

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
      Consumer<byte[], byte[]> consumer,
      Supplier<Consumer<byte[], byte[]>> again,
      Producer<byte[], byte[]> producer,
      Topics topics,
      ProcessClock clock,
      Function<RunStarted, RunDescribed> describe,
      @Nullable EarlyEnd early) {
    this.consumer = consumer;
    this.again = again;
    this.producer = producer;
    this.topics = topics;
    this.clock = clock;
    this.describe = describe;
    this.early = early;
    this.endedWrittenAtNs = clock.monotonicNs();
    this.thread = new Thread(this::read, "analytics-reader");
    thread.setDaemon(true);
    thread.start();
  }

  public LiveSnapshot snapshot() {
    throwFailure();
    synchronized (lock) {
      return fold.snapshot();
    }
  }

  public @Nullable RunStarted started() {
    synchronized (lock) {
      return fold.started();
    }
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
    var rows = new RunFold();
    try (Consumer<byte[], byte[]> consumer = again.get()) {
      RunRecording.readWhole(
          topics,
          new LogMerge(topics, consumer, clock, limit),
          rows,
          record -> rows.countUnreadable(record.topic()),
          recording);
    } catch (IOException e) {
      throw new UncheckedIOException("nothing here writes", e);
    } catch (KafkaException | IllegalStateException e) {
      throw failed(e);
    }
    return RunReport.of(rows, context);
  }

  /** Stops reading, and writes the run's summary behind all windows, unless one is there. */
  public void summarize(RunSummarized summary) {
    stop();
    synchronized (lock) {
      if (!summarized) {
        summarized = true;
        writeMetrics(summary);
      }
    }
  }

  @Override
  public void close() {
    stop();
    producer.close(CLOSE_LIMIT);
  }

  private void stop() {
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

  private void read() {
    try (consumer) {
      readToTheEnd();
    } catch (WakeupException e) {
      if (!closing) {
        wholeRun.completeExceptionally(e);
      }
    } catch (RuntimeException | Error e) {
      wholeRun.completeExceptionally(e);
    }
  }

  private void readToTheEnd() {
    List<TopicPartition> partitions =
        new LogMerge(topics, consumer, clock, ANSWER_LIMIT).partitions(RunRecording.FOLDED);
    var order = new FactsFirst(topics, begin(), early, partitions);
    consumer.assign(partitions);
    consumer.seekToBeginning(partitions);
    Map<TopicPartition, Long> ends = null;
    boolean endWritten = false;
    long lastNs = clock.monotonicNs();
    while (!closing && !wholeRun.isDone()) {
      List<ConsumerRecord<byte[], byte[]>> arrived = new ArrayList<>();
      consumer.poll(POLL).forEach(arrived::add);
      if (!arrived.isEmpty()) {
        lastNs = clock.monotonicNs();
      } else if (clock.monotonicNs() - lastNs > SILENCE_NS) {
        ends(partitions); // fails if nobody answers
        lastNs = clock.monotonicNs();
      }
      Step step = fold(arrived, order, partitions);
      step.metrics().forEach(this::writeMetrics);
      if (step.end() != null && !endWritten) {
        endWritten = true;
        write(new ProducerRecord<>(topics.runs(), 0, null, EventCodec.RUNS.write(step.end())));
      }
      if (step.complete() && ends == null) {
        ends = ends(partitions); // heartbeats go on, so the present end counts
      }
      if (ends != null && TopicReader.hasReadTo(ends, consumer) && order.nothingWaits()) {
        writeLastEnded();
        producer.flush();
        wholeRun.complete(null);
      }
    }
  }

  private void writeMetrics(WindowRecord record) {
    write(new ProducerRecord<>(topics.metrics(), 0, null, EventCodec.METRICS.write(record)));
  }

  private void write(ProducerRecord<byte[], byte[]> record) {
    var unused =
        producer.send(
            record,
            (metadata, failure) -> {
              if (failure != null) {
                wholeRun.completeExceptionally(failure);
              }
            });
  }

  private void writeLastEnded() {
    synchronized (lock) {
      if (!summarized) {
        writeMetrics(fold.takeEnded());
      }
    }
  }

  /**
   * Goes on where an earlier process ended: reads topic metrics to its present end. Records of
   * types that this build does not know are skipped.
   */
  private LiveFold begin() {
    var partition = new TopicPartition(topics.metrics(), 0);
    consumer.assign(List.of(partition));
    consumer.seekToBeginning(List.of(partition));
    long end = consumer.endOffsets(List.of(partition)).getOrDefault(partition, 0L);
    boolean describedBefore = false;
    boolean summarizedBefore = false;
    var sums = new WindowSums();
    while (!closing && consumer.position(partition) < end) {
      for (ConsumerRecord<byte[], byte[]> entry : consumer.poll(POLL)) {
        try {
          WindowRecord record = EventCodec.METRICS.read(LogEvent.bytes(entry));
          describedBefore |= record instanceof RunDescribed;
          summarizedBefore |= record instanceof RunSummarized;
          if (record instanceof MetricsWindow window) {
            sums.add(window);
          }
        } catch (UnreadableEventException e) {
          LOG.info("offset {} of metrics is of another version: {}", entry.offset(), e.toString());
        }
      }
    }
    synchronized (lock) {
      described = describedBefore;
      summarized = summarizedBefore;
      fold = new LiveFold(sums);
      return fold;
    }
  }

  /**
   * Result of a poll's records.
   *
   * @param metrics records of topic metrics that no process has written
   * @param end end of an abandoned run, or of one that ends early; null for any other
   * @param complete true if the run has ended and every job sent has its outcome
   */
  private record Step(List<WindowRecord> metrics, @Nullable RunEnded end, boolean complete) {}

  private Map<TopicPartition, Long> ends(Collection<TopicPartition> partitions) {
    return consumer.endOffsets(partitions, ANSWER_LIMIT);
  }

  private Step fold(
      List<ConsumerRecord<byte[], byte[]>> arrived,
      FactsFirst order,
      List<TopicPartition> partitions) {
    boolean factsAreRead =
        arrived.isEmpty()
            && !order.nothingWaits()
            && TopicReader.hasReadTo(
                ends(
                    partitions.stream()
                        .filter(
                            p -> List.of(topics.facts(), topics.dispatches()).contains(p.topic()))
                        .toList()),
                consumer);
    synchronized (lock) {
      for (ConsumerRecord<byte[], byte[]> entry : arrived) {
        take(entry, order);
      }
      order.applyWaiting(factsAreRead);
      long readThroughEpochMs = order.keepTogether(consumer);
      List<WindowRecord> metrics = new ArrayList<>();
      RunStarted started = fold.started();
      if (started != null && !described) {
        described = true;
        metrics.add(describe.apply(started));
      }
      metrics.addAll(fold.closeWindows(readThroughEpochMs));
      long sinceNs = clock.monotonicNs() - endedWrittenAtNs;
      if (fold.logTimeNs() > 0
          && !summarized
          && sinceNs >= (dispatchesCame ? ENDED_NS_MIN : ENDED_NS_MAX)) {
        metrics.add(fold.takeEnded());
        endedWrittenAtNs += sinceNs;
        dispatchesCame = false;
      }
      String why = early == null ? null : early.why();
      RunEnded end =
          early == null || why == null
              ? fold.endIfAbandoned()
              : fold.endEarly(why, early.requested());
      return new Step(metrics, end, fold.isComplete());
    }
  }

  private void take(ConsumerRecord<byte[], byte[]> entry, FactsFirst order) {
    dispatchesCame |= entry.topic().equals(topics.dispatches());
    try {
      order.take(entry);
    } catch (UnreadableEventException e) {
      if (entry.topic().equals(topics.outcomes()) || entry.topic().equals(topics.runs())) {
        // other roles send unreadable facts and dispatches
        write(DeadLetter.of(topics, entry, e.getMessage()));
      }
    }
  }
}
