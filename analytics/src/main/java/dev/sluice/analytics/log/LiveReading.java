package dev.sluice.analytics.log;

import dev.sluice.analytics.abort.EarlyEnd;
import dev.sluice.analytics.fold.LiveFold;
import dev.sluice.analytics.fold.LiveSnapshot;
import dev.sluice.analytics.fold.WindowSums;
import dev.sluice.analytics.log.EventLogReader.ReaderNumbers;
import dev.sluice.contract.event.MetricsWindow;
import dev.sluice.contract.event.RunDescribed;
import dev.sluice.contract.event.RunEnded;
import dev.sluice.contract.event.RunStarted;
import dev.sluice.contract.event.RunSummarized;
import dev.sluice.contract.event.WindowRecord;
import dev.sluice.contract.log.DeadLetter;
import dev.sluice.contract.log.EventCodec;
import dev.sluice.contract.log.ProcessClock;
import dev.sluice.contract.log.TopicReader;
import dev.sluice.contract.log.Topics;
import dev.sluice.contract.log.UnreadableEventException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.WakeupException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The reading of a run while it goes on: folds records into counts, writes the run's description
 * and each finished second once, and the batches that have ended, and ends an abandoned run. One
 * thread runs it; its counts may be read from any other.
 */
final class LiveReading implements Runnable {
  private static final Logger LOG = LoggerFactory.getLogger(LiveReading.class);

  /** Time without any record after which the broker is asked whether it is there. */
  private static final long SILENCE_NS = 60_000_000_000L;

  /** Longest time between records of the batches that have ended. */
  private static final long ENDED_NS_MAX = 1_000_000_000L;

  /** Longest time that the last records may take on their way when the reading is ended early. */
  private static final Duration CLOSE_LIMIT = Duration.ofSeconds(5);

  /** Shortest time between them, where dispatches have just been committed. */
  private static final long ENDED_NS_MIN = 250_000_000L;

  private final Consumer<byte[], byte[]> consumer;
  private final Producer<byte[], byte[]> producer;
  private final Topics topics;
  private final RunPartitions run;
  private final ProcessClock clock;
  private final Function<RunStarted, RunDescribed> describe;
  private final @Nullable EarlyEnd early;
  private final CompletableFuture<Void> wholeRun = new CompletableFuture<>();

  /** Lock of the fields below it. */
  private final Object lock = new Object();

  private LiveFold fold = new LiveFold();
  private final Map<String, Long> recordsRead = new TreeMap<>();
  private long windowsWritten;
  private boolean described;
  private boolean summarized;
  private long endedWrittenAtNs;
  private boolean dispatchesCame;

  private volatile long recordsBehind;
  private volatile boolean closing;

  /**
   * Uses all clients alone.
   *
   * @param consumer reads committed records; closed when the reading ends
   * @param describe makes the description of a run that has begun
   * @param early what ends the run before its time; null: nothing does
   */
  LiveReading(
      Consumer<byte[], byte[]> consumer,
      Producer<byte[], byte[]> producer,
      Topics topics,
      ProcessClock clock,
      Function<RunStarted, RunDescribed> describe,
      @Nullable EarlyEnd early) {
    this.consumer = consumer;
    this.producer = producer;
    this.topics = topics;
    this.run = new RunPartitions(topics);
    this.clock = clock;
    this.describe = describe;
    this.early = early;
    this.endedWrittenAtNs = clock.monotonicNs();
  }

  /** Completes when the whole run has been read, or with the failure that ended the reading. */
  CompletableFuture<Void> wholeRun() {
    return wholeRun;
  }

  LiveSnapshot snapshot() {
    synchronized (lock) {
      return fold.snapshot();
    }
  }

  ReaderNumbers numbers() {
    synchronized (lock) {
      return new ReaderNumbers(Map.copyOf(recordsRead), recordsBehind, windowsWritten);
    }
  }

  @Nullable RunStarted started() {
    synchronized (lock) {
      return fold.started();
    }
  }

  @Nullable RunEnded ended() {
    synchronized (lock) {
      return fold.ended();
    }
  }

  /** Asks the reading to end; returns at once. */
  void stop() {
    closing = true;
    consumer.wakeup();
  }

  /** Writes the run's summary behind all windows, unless an earlier process did, when it ended. */
  void summarize(RunSummarized summary) {
    synchronized (lock) {
      if (!summarized) {
        summarized = true;
        writeMetrics(summary);
      }
    }
  }

  /** Closes the producer, when the reading has ended. */
  void close() {
    producer.close(CLOSE_LIMIT);
  }

  @Override
  public void run() {
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
    List<TopicPartition> partitions = run.find(consumer, EventLogReader.ANSWER_LIMIT);
    var order = new FactsFirst(topics, run, begin(), early, partitions);
    RunPartitions.assign(consumer, partitions);
    Map<TopicPartition, Long> ends = null;
    boolean endWritten = false;
    long lastNs = clock.monotonicNs();
    while (!closing && !wholeRun.isDone()) {
      List<ConsumerRecord<byte[], byte[]>> arrived = new ArrayList<>();
      consumer.poll(EventLogReader.POLL).forEach(arrived::add);
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
    RunPartitions.assign(consumer, List.of(partition));
    long end = consumer.endOffsets(List.of(partition)).getOrDefault(partition, 0L);
    boolean describedBefore = false;
    boolean summarizedBefore = false;
    var sums = new WindowSums();
    while (!closing && consumer.position(partition) < end) {
      for (ConsumerRecord<byte[], byte[]> entry : consumer.poll(EventLogReader.POLL)) {
        try {
          WindowRecord record = EventCodec.METRICS.read(RunPartitions.bytes(entry));
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

  private Map<TopicPartition, Long> ends(List<TopicPartition> partitions) {
    return consumer.endOffsets(partitions, EventLogReader.ANSWER_LIMIT);
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
      recordsBehind = order.recordsBehind();
      List<WindowRecord> metrics = new ArrayList<>();
      RunStarted started = fold.started();
      if (started != null && !described) {
        described = true;
        metrics.add(describe.apply(started));
      }
      List<MetricsWindow> windows = fold.closeWindows(readThroughEpochMs);
      windowsWritten += windows.size();
      metrics.addAll(windows);
      long sinceNs = clock.monotonicNs() - endedWrittenAtNs;
      if (fold.logTimeNs() > 0
          && !summarized
          && sinceNs >= (dispatchesCame ? ENDED_NS_MIN : ENDED_NS_MAX)) {
        metrics.add(fold.takeEnded());
        endedWrittenAtNs += sinceNs;
        dispatchesCame = false;
      }
      return new Step(metrics, endIfLost(started), fold.isComplete());
    }
  }

  /** The end of a run that is abandoned, or that ends early; else null. */
  private @Nullable RunEnded endIfLost(@Nullable RunStarted started) {
    if (early == null || early.why() == null || started == null || fold.ended() != null) {
      return fold.endIfAbandoned();
    }
    return new RunEnded(
        started.runId(),
        early.requested(),
        false,
        false,
        Math.max(0, fold.logTimeNs()),
        early.why());
  }

  private void take(ConsumerRecord<byte[], byte[]> entry, FactsFirst order) {
    recordsRead.merge(entry.topic(), 1L, Long::sum);
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
