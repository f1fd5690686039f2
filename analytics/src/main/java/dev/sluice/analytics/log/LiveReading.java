package dev.sluice.analytics.log;

import dev.sluice.analytics.fold.LiveFold;
import dev.sluice.analytics.fold.LiveSnapshot;
import dev.sluice.contract.codec.EventCodec;
import dev.sluice.contract.codec.UnreadableEventException;
import dev.sluice.contract.event.RunEnded;
import dev.sluice.contract.event.RunStarted;
import dev.sluice.contract.log.TopicReader;
import dev.sluice.contract.log.Topics;
import dev.sluice.contract.time.ProcessClock;
import dev.sluice.contract.window.MetricsWindow;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.WakeupException;
import org.jspecify.annotations.Nullable;

/**
 * The reading of a run while it goes on: folds committed records into counts, writes each finished
 * window once, and ends an abandoned run. One thread runs it; its counts may be read from any
 * other.
 */
final class LiveReading implements Runnable {
  /** Time without any record after which the broker is asked whether it is there. */
  private static final long SILENCE_NS = 60_000_000_000L;

  private final Consumer<byte[], byte[]> consumer;
  private final LogWriter writer;
  private final Topics topics;
  private final RunPartitions run;
  private final ProcessClock clock;
  private final CompletableFuture<Void> wholeRun = new CompletableFuture<>();

  /** Counts of the run; also the lock of {@code recordsRead} and {@code windowsWritten}. */
  private final LiveFold fold = new LiveFold();

  private final Map<String, Long> recordsRead = new TreeMap<>();
  private long windowsWritten;
  private volatile long recordsBehind;
  private volatile boolean closing;

  /** Uses both clients alone, and closes them when it ends. */
  LiveReading(
      Consumer<byte[], byte[]> consumer,
      Producer<byte[], byte[]> producer,
      Topics topics,
      ProcessClock clock) {
    this.consumer = consumer;
    this.writer = new LogWriter(producer, topics, wholeRun::completeExceptionally);
    this.topics = topics;
    this.run = new RunPartitions(topics);
    this.clock = clock;
  }

  /** Completes when the whole run has been read, or with the failure that ended the reading. */
  CompletableFuture<Void> wholeRun() {
    return wholeRun;
  }

  LiveSnapshot snapshot() {
    synchronized (fold) {
      return fold.snapshot();
    }
  }

  ReaderNumbers numbers() {
    synchronized (fold) {
      return new ReaderNumbers(Map.copyOf(recordsRead), recordsBehind, windowsWritten);
    }
  }

  @Nullable RunStarted started() {
    synchronized (fold) {
      return fold.started();
    }
  }

  @Nullable RunEnded ended() {
    synchronized (fold) {
      return fold.ended();
    }
  }

  /** Asks the reading to end; returns at once. */
  void stop() {
    closing = true;
    consumer.wakeup();
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
    } finally {
      writer.close();
    }
  }

  private void readToTheEnd() {
    List<TopicPartition> partitions = run.find(consumer, ReaderClients.ANSWER_LIMIT);
    long windowsFromNs = firstMissingWindowNs();
    RunPartitions.assign(consumer, partitions);
    var order = new FactsFirst(topics, run, fold, partitions);
    Map<TopicPartition, Long> ends = null;
    boolean endWritten = false;
    long lastNs = clock.monotonicNs();
    while (!closing && !wholeRun.isDone()) {
      var records = consumer.poll(ReaderClients.POLL);
      if (!records.isEmpty()) {
        lastNs = clock.monotonicNs();
      } else if (clock.monotonicNs() - lastNs > SILENCE_NS) {
        consumer.endOffsets(partitions, ReaderClients.ANSWER_LIMIT); // fails if nobody answers
        lastNs = clock.monotonicNs();
      }
      Step step = fold(records, order, windowsFromNs);
      step.windows().forEach(writer::window);
      if (step.abandonedEnd() != null && !endWritten) {
        endWritten = true;
        writer.end(step.abandonedEnd());
      }
      if (step.complete() && ends == null) {
        ends = consumer.endOffsets(partitions); // heartbeats go on, so the present end counts
      }
      if (ends != null && TopicReader.hasReadTo(ends, consumer) && order.nothingWaits()) {
        writer.flush();
        wholeRun.complete(null);
      }
    }
  }

  /** End of the last window that an earlier process has written. */
  private long firstMissingWindowNs() {
    var partition = new TopicPartition(topics.metrics(), 0);
    consumer.assign(List.of(partition));
    long end = consumer.endOffsets(List.of(partition)).getOrDefault(partition, 0L);
    long fromNs = 0;
    if (end > 0) {
      consumer.seek(partition, end - 1);
      while (!closing && consumer.position(partition) < end) {
        for (ConsumerRecord<byte[], byte[]> entry : consumer.poll(ReaderClients.POLL)) {
          try {
            if (EventCodec.METRICS.read(entry.value()) instanceof MetricsWindow window) {
              fromNs = window.toNs();
            }
          } catch (UnreadableEventException e) {
            throw new IllegalStateException("the last record of metrics is no window", e);
          }
        }
      }
    }
    return fromNs;
  }

  /**
   * Result of a poll's records.
   *
   * @param windows finished windows that no process has written
   * @param abandonedEnd end of an abandoned run; null for any other
   * @param complete true if the run has ended and every job sent has its outcome
   */
  private record Step(
      List<MetricsWindow> windows, @Nullable RunEnded abandonedEnd, boolean complete) {}

  private Step fold(ConsumerRecords<byte[], byte[]> records, FactsFirst order, long windowsFromNs) {
    boolean factsAreRead =
        records.isEmpty() && !order.nothingWaits() && order.allFactsAreRead(consumer);
    synchronized (fold) {
      for (ConsumerRecord<byte[], byte[]> entry : records) {
        take(entry, order);
      }
      order.applyWaiting(factsAreRead);
      long readThroughEpochMs = order.keepTogether(consumer);
      recordsBehind = order.recordsBehind();
      List<MetricsWindow> windows =
          fold.closeWindows(readThroughEpochMs).stream()
              .filter(window -> window.fromNs() >= windowsFromNs)
              .toList();
      windowsWritten += windows.size();
      return new Step(windows, fold.endIfAbandoned(), fold.isComplete());
    }
  }

  private void take(ConsumerRecord<byte[], byte[]> entry, FactsFirst order) {
    recordsRead.merge(entry.topic(), 1L, Long::sum);
    try {
      order.take(entry);
    } catch (UnreadableEventException e) {
      if (entry.topic().equals(topics.outcomes()) || entry.topic().equals(topics.runs())) {
        writer.deadLetter(entry, e); // other roles send unreadable facts and dispatches
      }
    }
  }
}
