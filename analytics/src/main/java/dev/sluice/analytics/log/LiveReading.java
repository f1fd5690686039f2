package dev.sluice.analytics.log;

import dev.sluice.analytics.abort.EarlyEnd;
import dev.sluice.analytics.fold.LiveFold;
import dev.sluice.analytics.fold.LiveSnapshot;
import dev.sluice.contract.codec.UnreadableEventException;
import dev.sluice.contract.event.LanesWindow;
import dev.sluice.contract.event.MetricsWindow;
import dev.sluice.contract.event.RunDescribed;
import dev.sluice.contract.event.RunEnded;
import dev.sluice.contract.event.RunStarted;
import dev.sluice.contract.event.RunSummarized;
import dev.sluice.contract.event.WindowRecord;
import dev.sluice.contract.log.Topics;
import dev.sluice.contract.time.ProcessClock;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.WakeupException;
import org.jspecify.annotations.Nullable;

/**
 * The reading of a run while it goes on: folds records into counts, writes the run's description
 * and each finished second once, tells four times a second what lanes do, and ends an abandoned
 * run. One thread runs it; its counts may be read from any other.
 */
final class LiveReading implements Runnable {
  /** Time without any record after which the broker is asked whether it is there. */
  private static final long SILENCE_NS = 60_000_000_000L;

  /** Time between windows of the lanes. */
  private static final long LANES_PERIOD_NS = 250_000_000L;

  /**
   * Age of the log time that a window of the lanes ends at: its dispatches have been read by then.
   */
  private static final long LANES_DELAY_NS = 300_000_000L;

  private final Consumer<byte[], byte[]> consumer;
  private final LiveRecords records;
  private final LogWriter writer;
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
  private long lanesClosedAtNs;
  private long lanesDueAtNs;
  private long lanesClosedThroughNs;

  private volatile long recordsBehind;
  private volatile boolean closing;

  /**
   * Uses all clients alone.
   *
   * @param consumer reads committed records; closed when the reading ends
   * @param provisional reads dispatches that may not be committed; closed when the reading ends
   * @param describe makes the description of a run that has begun
   * @param early what ends the run before its time; null: nothing does
   */
  LiveReading(
      Consumer<byte[], byte[]> consumer,
      Consumer<byte[], byte[]> provisional,
      Producer<byte[], byte[]> producer,
      Topics topics,
      ProcessClock clock,
      Function<RunStarted, RunDescribed> describe,
      @Nullable EarlyEnd early) {
    this.consumer = consumer;
    this.records = new LiveRecords(consumer, provisional, topics);
    this.writer = new LogWriter(producer, topics, wholeRun::completeExceptionally);
    this.topics = topics;
    this.run = new RunPartitions(topics);
    this.clock = clock;
    this.describe = describe;
    this.early = early;
    this.lanesClosedAtNs = clock.monotonicNs();
    this.lanesDueAtNs = lanesClosedAtNs + LANES_PERIOD_NS;
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
        writer.metrics(summary);
      }
    }
  }

  /** Closes the writer, when the reading has ended. */
  void close() {
    writer.close();
  }

  @Override
  public void run() {
    try (records) {
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
    List<TopicPartition> partitions = run.find(consumer, ReaderClients.ANSWER_LIMIT);
    var order = new FactsFirst(topics, run, begin(), early, partitions);
    records.assign(partitions);
    Map<TopicPartition, Long> ends = null;
    boolean endWritten = false;
    long lastNs = clock.monotonicNs();
    while (!closing && !wholeRun.isDone()) {
      var arrived = records.poll();
      if (!arrived.isEmpty()) {
        lastNs = clock.monotonicNs();
      } else if (clock.monotonicNs() - lastNs > SILENCE_NS) {
        records.ends(topic -> true); // fails if nobody answers
        lastNs = clock.monotonicNs();
      }
      Step step = fold(arrived, order);
      step.metrics().forEach(writer::metrics);
      if (step.lanes() != null) {
        writer.lanes(step.lanes());
      }
      if (step.end() != null && !endWritten) {
        endWritten = true;
        writer.end(step.end());
      }
      if (step.complete() && ends == null) {
        ends = records.ends(topic -> true); // heartbeats go on, so the present end counts
      }
      if (ends != null && records.hasReadTo(ends) && order.nothingWaits()) {
        writeLastLanes();
        writer.flush();
        wholeRun.complete(null);
      }
    }
  }

  /** Goes on where an earlier process ended. */
  private LiveFold begin() {
    WrittenMetrics written = WrittenMetrics.read(consumer, topics, () -> closing);
    synchronized (lock) {
      described = written.described();
      summarized = written.summarized();
      fold = new LiveFold(written.sums());
      return fold;
    }
  }

  /**
   * Result of a poll's records.
   *
   * @param metrics records of topic metrics that no process has written
   * @param lanes window of the lanes; null: none is due
   * @param end end of an abandoned run, or of one that ends early; null for any other
   * @param complete true if the run has ended and every job sent has its outcome
   */
  private record Step(
      List<WindowRecord> metrics,
      @Nullable LanesWindow lanes,
      @Nullable RunEnded end,
      boolean complete) {}

  private Step fold(List<ConsumerRecord<byte[], byte[]>> arrived, FactsFirst order) {
    boolean factsAreRead =
        arrived.isEmpty()
            && !order.nothingWaits()
            && records.hasReadTo(
                records.ends(
                    topic -> topic.equals(topics.facts()) || topic.equals(topics.dispatches())));
    synchronized (lock) {
      for (ConsumerRecord<byte[], byte[]> entry : arrived) {
        take(entry, order);
      }
      order.applyWaiting(factsAreRead);
      long readThroughEpochMs = order.keepTogether(records);
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
      long nowNs = clock.monotonicNs();
      boolean due = nowNs - lanesDueAtNs >= 0;
      if (due) { // a wait for records that ends late does not delay the windows after it
        lanesDueAtNs = Math.max(lanesDueAtNs + LANES_PERIOD_NS, nowNs);
      }
      return new Step(
          metrics, due ? closeLanes(LANES_DELAY_NS) : null, endIfLost(started), fold.isComplete());
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

  private void writeLastLanes() {
    LanesWindow last;
    synchronized (lock) {
      last = closeLanes(0);
    }
    if (last != null) {
      writer.lanes(last);
    }
  }

  /**
   * The window of the lanes that ends a delay ago, by the log's time and, where the log is silent,
   * by this process's monotonic clock; null before time zero. A wall clock that is set back moves
   * neither.
   */
  private @Nullable LanesWindow closeLanes(long delayNs) {
    long nowNs = clock.monotonicNs();
    long passedNs = lanesClosedThroughNs == 0 ? 0 : nowNs - lanesClosedAtNs;
    long throughNs = Math.max(fold.logTimeNs() - delayNs, lanesClosedThroughNs + passedNs);
    lanesClosedAtNs = nowNs;
    if (throughNs <= lanesClosedThroughNs) {
      return null;
    }
    lanesClosedThroughNs = throughNs;
    return fold.closeLanesWindow(throughNs);
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
