package dev.sluice.analytics.log;

import dev.sluice.analytics.fold.LiveFold;
import dev.sluice.analytics.fold.LiveSnapshot;
import dev.sluice.analytics.fold.LogFold;
import dev.sluice.analytics.fold.RunContext;
import dev.sluice.analytics.fold.RunFold;
import dev.sluice.analytics.report.RunReport;
import dev.sluice.contract.codec.EventCodec;
import dev.sluice.contract.codec.UnreadableEventException;
import dev.sluice.contract.event.BatchDispatched;
import dev.sluice.contract.event.JobEnded;
import dev.sluice.contract.event.MetricsWindow;
import dev.sluice.contract.event.Outcome;
import dev.sluice.contract.event.RunEnded;
import dev.sluice.contract.event.RunStarted;
import dev.sluice.contract.log.DeadLetter;
import dev.sluice.contract.log.LogClients;
import dev.sluice.contract.log.Reading;
import dev.sluice.contract.log.TopicReader;
import dev.sluice.contract.log.Topics;
import dev.sluice.contract.log.Writing;
import dev.sluice.contract.time.ProcessClock;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.PartitionInfo;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.WakeupException;
import org.jspecify.annotations.Nullable;

/**
 * Reads a run's topics from their beginning, committed records only. The topics must exist.
 *
 * <p>While the run goes on, a thread of its own folds them into counts whose memory does not grow
 * with the jobs, and writes each whole second of them to the metrics topic, once, also when an
 * earlier process has written some. Where nobody ends the run though all its jobs have ended, it
 * does. {@link #report} reads everything a second time, into rows.
 *
 * <p>Bytes that are no event are counted by topic; those of outcomes and runs go to the dead
 * letters with topic, partition, offset and error in their headers. Those of facts and dispatches
 * are sent there by the scheduler and the executor. A broker may be away for a minute. A failure of
 * the thread is thrown from the next call.
 */
public final class EventLogReader implements AutoCloseable {
  /** How long a read waits; it bounds how stale a snapshot is, not how fast records come. */
  private static final Duration POLL = Duration.ofMillis(100);

  /** After so long without any record the broker is asked whether it is there. */
  private static final long SILENCE_NS = 60_000_000_000L;

  /** How long a question or a record may take, so that a broker can be away for a minute. */
  private static final Duration ANSWER_LIMIT = Duration.ofMinutes(2);

  /**
   * How long it may take where the run has not come to its end: the broker may be gone for good.
   */
  private static final Duration ANSWER_LIMIT_IN_VAIN = Duration.ofSeconds(10);

  /** How long the last records may take on their way when somebody ends the reading early. */
  private static final Duration CLOSE_LIMIT = Duration.ofSeconds(5);

  /** No partition is read so much further than the slowest one: what waits for it stays small. */
  private static final long AHEAD_MS_MAX = 2000;

  private final Supplier<Consumer<byte[], byte[]>> consumers;
  private final Consumer<byte[], byte[]> consumer;
  private final Producer<byte[], byte[]> producer;
  private final Topics topics;
  private final ProcessClock clock;
  private final LiveFold fold = new LiveFold();
  private final Map<TopicPartition, Progress> progress = new HashMap<>();
  private final Map<String, Long> recordsRead = new TreeMap<>();
  private final CompletableFuture<Void> wholeRun = new CompletableFuture<>();
  private final Thread thread = new Thread(this::readToTheEnd, "analytics-reader");
  private long windowsWritten;
  private long windowsFromNs;
  private boolean endWritten;
  private volatile long recordsBehind;
  private volatile boolean closing;

  /** How far a partition has been read, and what waits for facts that have not. */
  private static final class Progress {
    final Deque<Waiting> waiting = new ArrayDeque<>();
    long appliedOffset = -1;
    long appliedEpochMs;
  }

  /** A record of dispatches or outcomes that rests on facts which have not been read. */
  private record Waiting(
      @Nullable BatchDispatched dispatch, @Nullable Outcome outcome, long appendedAtEpochMs) {}

  /** Starts to read. */
  public EventLogReader(LogClients clients, Topics topics, ProcessClock clock) {
    this(
        () -> clients.consumer(Reading.WHOLE_RUN, ANSWER_LIMIT),
        clients.producer(Writing.IN_ORDER, ANSWER_LIMIT),
        topics,
        clock);
  }

  EventLogReader(
      Supplier<Consumer<byte[], byte[]>> consumers,
      Producer<byte[], byte[]> producer,
      Topics topics,
      ProcessClock clock) {
    this.consumers = consumers;
    this.consumer = consumers.get();
    this.producer = producer;
    this.topics = topics;
    this.clock = clock;
    thread.setDaemon(true);
    thread.start();
  }

  /**
   * The run so far.
   *
   * @throws IllegalStateException if reading has failed
   */
  public LiveSnapshot snapshot() {
    throwFailure();
    synchronized (fold) {
      return fold.snapshot(clock.epochNs() / 1_000_000);
    }
  }

  /** What has been read and written so far; never throws. */
  public ReaderNumbers numbers() {
    synchronized (fold) {
      LiveSnapshot now = fold.snapshot(0);
      return new ReaderNumbers(
          Map.of("done", now.done(), "dropped", now.dropped(), "failed", now.failed()),
          now.violations(),
          Map.copyOf(recordsRead),
          recordsBehind,
          windowsWritten);
    }
  }

  /** The run's beginning; null before it was read. */
  public @Nullable RunStarted started() {
    synchronized (fold) {
      return fold.started();
    }
  }

  /** The run's end; null before it was read. */
  public @Nullable RunEnded ended() {
    synchronized (fold) {
      return fold.ended();
    }
  }

  /**
   * Waits until the run has ended, every job sent has its outcome (unless it was given up), and all
   * topics are read to their end.
   *
   * @return whether that came to pass in time
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
   * Reads all that stands in the log by now, on the caller's thread, and reports it: the whole run
   * after {@link #awaitRunEnd}. Before that a broker that does not answer is soon given up.
   *
   * @throws IllegalStateException if reading has failed
   */
  public RunReport report(RunContext context) {
    throwFailure();
    var whole = new RunFold();
    Duration limit = wholeRun.isDone() ? ANSWER_LIMIT : ANSWER_LIMIT_IN_VAIN;
    try (Consumer<byte[], byte[]> again = consumers.get()) {
      List<TopicPartition> partitions = partitions(again, limit);
      assign(again, partitions);
      Map<TopicPartition, Long> ends = again.endOffsets(partitions, limit);
      long lastNs = clock.monotonicNs();
      while (!TopicReader.hasReadTo(ends, again)) {
        var records = again.poll(POLL);
        for (ConsumerRecord<byte[], byte[]> entry : records) {
          try {
            apply(whole, entry);
          } catch (UnreadableEventException e) {
            whole.countUnreadable(entry.topic());
          }
        }
        lastNs = records.isEmpty() ? lastNs : clock.monotonicNs();
        if (clock.monotonicNs() - lastNs > limit.toNanos()) {
          throw new IllegalStateException(
              "the broker gave no record for (" + limit.toSeconds() + ") s");
        }
      }
    } catch (KafkaException | IllegalStateException e) {
      throw failed(e);
    }
    return RunReport.of(whole, context);
  }

  /** Stops reading and frees the clients. */
  @Override
  public void close() {
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

  private void readToTheEnd() {
    try (consumer) {
      List<TopicPartition> partitions = partitions(consumer, ANSWER_LIMIT);
      windowsFromNs = firstMissingWindowNs();
      assign(consumer, partitions);
      partitions.forEach(partition -> progress.put(partition, new Progress()));
      Map<TopicPartition, Long> ends = null;
      long lastNs = clock.monotonicNs();
      while (!closing && !wholeRun.isDone()) {
        var records = consumer.poll(POLL);
        if (!records.isEmpty()) {
          lastNs = clock.monotonicNs();
        } else if (clock.monotonicNs() - lastNs > SILENCE_NS) {
          consumer.endOffsets(partitions, ANSWER_LIMIT); // fails if nobody answers
          lastNs = clock.monotonicNs();
        }
        boolean complete = fold(records);
        if (complete && ends == null) {
          ends = consumer.endOffsets(partitions); // heartbeats go on: the end is where it is now
        }
        if (ends != null && TopicReader.hasReadTo(ends, consumer) && nothingWaits()) {
          producer.flush();
          wholeRun.complete(null);
        }
      }
    } catch (WakeupException e) {
      if (!closing) {
        wholeRun.completeExceptionally(e);
      }
    } catch (RuntimeException | Error e) {
      wholeRun.completeExceptionally(e);
    } finally {
      producer.close(CLOSE_LIMIT);
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
        for (ConsumerRecord<byte[], byte[]> entry : consumer.poll(POLL)) {
          try {
            fromNs = EventCodec.METRICS.read(entry.value()).toNs();
          } catch (UnreadableEventException e) {
            throw new IllegalStateException("the last record of metrics is no window", e);
          }
        }
      }
    }
    return fromNs;
  }

  /** All partitions that make up the run. */
  private List<TopicPartition> partitions(Consumer<byte[], byte[]> reader, Duration limit) {
    List<TopicPartition> partitions = new ArrayList<>();
    for (String topic :
        List.of(topics.runs(), topics.facts(), topics.dispatches(), topics.outcomes())) {
      List<PartitionInfo> infos = reader.partitionsFor(topic, limit);
      if (infos == null || infos.isEmpty()) {
        throw new IllegalStateException("topic " + topic + " does not exist");
      }
      infos.forEach(info -> partitions.add(new TopicPartition(topic, info.partition())));
    }
    return partitions;
  }

  private static void assign(Consumer<byte[], byte[]> reader, List<TopicPartition> partitions) {
    reader.assign(partitions);
    reader.seekToBeginning(partitions);
  }

  private void apply(LogFold to, ConsumerRecord<byte[], byte[]> entry)
      throws UnreadableEventException {
    byte[] bytes = bytes(entry);
    String topic = entry.topic();
    if (topic.equals(topics.facts())) {
      to.onFact(EventCodec.FACTS.read(bytes), entry.partition(), entry.timestamp());
    } else if (topic.equals(topics.runs())) {
      to.onRunRecord(EventCodec.RUNS.read(bytes), entry.timestamp());
    } else if (topic.equals(topics.dispatches())) {
      to.onDispatch(EventCodec.DISPATCHES.read(bytes), entry.partition(), entry.timestamp());
    } else {
      to.onOutcome(EventCodec.OUTCOMES.read(bytes), entry.partition(), entry.timestamp());
    }
  }

  private static byte[] bytes(ConsumerRecord<byte[], byte[]> entry)
      throws UnreadableEventException {
    if (entry.value() == null) {
      throw new UnreadableEventException("a record without a value is no event", null);
    }
    return entry.value();
  }

  /** Folds what has arrived; returns whether the run is complete. */
  private boolean fold(ConsumerRecords<byte[], byte[]> records) {
    List<MetricsWindow> windows;
    RunEnded end;
    boolean complete;
    boolean factsAreRead = records.isEmpty() && !nothingWaits() && allFactsAreRead();
    synchronized (fold) {
      for (ConsumerRecord<byte[], byte[]> entry : records) {
        take(entry);
      }
      applyWaiting(factsAreRead);
      windows =
          fold.closeWindows(keepTogether()).stream()
              .filter(window -> window.fromNs() >= windowsFromNs)
              .toList();
      windowsWritten += windows.size();
      complete = fold.isComplete();
      end = endWritten ? null : fold.endIfAbandoned();
    }
    for (MetricsWindow window : windows) {
      send(new ProducerRecord<>(topics.metrics(), 0, null, EventCodec.METRICS.write(window)));
    }
    if (end != null) {
      endWritten = true;
      send(new ProducerRecord<>(topics.runs(), 0, null, EventCodec.RUNS.write(end)));
    }
    return complete;
  }

  /** Applies a fact or a record of the run at once; the others in their turn. */
  private void take(ConsumerRecord<byte[], byte[]> entry) {
    recordsRead.merge(entry.topic(), 1L, Long::sum);
    Progress of = progressOf(entry.topic(), entry.partition());
    try {
      if (entry.topic().equals(topics.dispatches())) {
        of.waiting.add(
            new Waiting(EventCodec.DISPATCHES.read(bytes(entry)), null, entry.timestamp()));
      } else if (entry.topic().equals(topics.outcomes())) {
        of.waiting.add(
            new Waiting(null, EventCodec.OUTCOMES.read(bytes(entry)), entry.timestamp()));
      } else {
        apply(fold, entry);
        of.appliedOffset = entry.offset();
        of.appliedEpochMs = Math.max(of.appliedEpochMs, entry.timestamp());
      }
    } catch (UnreadableEventException e) {
      of.appliedOffset = entry.offset();
      if (entry.topic().equals(topics.outcomes()) || entry.topic().equals(topics.runs())) {
        send(DeadLetter.of(topics, entry, e.getMessage()));
      }
    }
  }

  /**
   * @param factsAreRead whether every fact that anything rests on has been applied
   */
  private void applyWaiting(boolean factsAreRead) {
    applyWaiting(topics.dispatches(), factsAreRead);
    applyWaiting(topics.outcomes(), factsAreRead);
  }

  private void applyWaiting(String topic, boolean factsAreRead) {
    progress.forEach(
        (partition, of) -> {
          if (!partition.topic().equals(topic)) {
            return;
          }
          Progress facts = progressOf(topics.facts(), partition.partition());
          while (!of.waiting.isEmpty()
              && (factsAreRead || restsOnAppliedFacts(of.waiting.element(), facts))) {
            Waiting next = of.waiting.remove();
            if (next.dispatch() != null) {
              fold.onDispatch(next.dispatch(), partition.partition(), next.appendedAtEpochMs());
            } else if (next.outcome() != null) {
              fold.onOutcome(next.outcome(), partition.partition(), next.appendedAtEpochMs());
            }
            of.appliedEpochMs = Math.max(of.appliedEpochMs, next.appendedAtEpochMs());
          }
        });
  }

  private boolean restsOnAppliedFacts(Waiting record, Progress facts) {
    if (record.dispatch() != null) {
      return record.dispatch().dispatchId().factOffset() <= facts.appliedOffset;
    }
    RunStarted started = fold.started();
    return !(record.outcome() instanceof JobEnded end)
        || (started != null
            && started.timeZeroEpochMs() + end.endedAtNs() / 1_000_000 < facts.appliedEpochMs);
  }

  private boolean allFactsAreRead() {
    List<TopicPartition> facts =
        progress.keySet().stream().filter(p -> p.topic().equals(topics.facts())).toList();
    return TopicReader.hasReadTo(consumer.endOffsets(facts), consumer);
  }

  private boolean nothingWaits() {
    return progress.values().stream().allMatch(of -> of.waiting.isEmpty());
  }

  /**
   * Pauses what is far ahead of the slowest partition, or waits for facts.
   *
   * @return append time up to which everything has been read, milliseconds since 1970; {@link
   *     Long#MAX_VALUE} if nothing is left to read
   */
  private long keepTogether() {
    long slowestEpochMs = Long.MAX_VALUE;
    long behind = 0;
    for (Map.Entry<TopicPartition, Progress> entry : progress.entrySet()) {
      OptionalLong lag = consumer.currentLag(entry.getKey());
      behind += lag.orElse(0);
      Progress of = entry.getValue();
      if (!of.waiting.isEmpty()) {
        slowestEpochMs = Math.min(slowestEpochMs, of.waiting.element().appendedAtEpochMs());
      } else if (lag.isEmpty() || lag.getAsLong() > 0) {
        slowestEpochMs = Math.min(slowestEpochMs, of.appliedEpochMs);
      }
    }
    recordsBehind = behind;
    Set<TopicPartition> pause = new HashSet<>();
    for (Map.Entry<TopicPartition, Progress> entry : progress.entrySet()) {
      Progress of = entry.getValue();
      boolean ahead =
          slowestEpochMs != Long.MAX_VALUE && of.appliedEpochMs - AHEAD_MS_MAX > slowestEpochMs;
      if (ahead || !of.waiting.isEmpty()) {
        pause.add(entry.getKey());
      }
    }
    Set<TopicPartition> resume = new HashSet<>(consumer.paused());
    resume.removeAll(pause);
    consumer.resume(resume);
    consumer.pause(pause);
    return slowestEpochMs;
  }

  private Progress progressOf(String topic, int partition) {
    Progress of = progress.get(new TopicPartition(topic, partition));
    if (of == null) {
      throw new IllegalStateException(topic + " has no partition (" + partition + ")");
    }
    return of;
  }

  private void send(ProducerRecord<byte[], byte[]> record) {
    var unused =
        producer.send(
            record,
            (metadata, failure) -> {
              if (failure != null) {
                wholeRun.completeExceptionally(failure);
              }
            });
  }
}
