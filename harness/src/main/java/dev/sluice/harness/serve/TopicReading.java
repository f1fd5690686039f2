package dev.sluice.harness.serve;

import dev.sluice.contract.event.BatchesEnded;
import dev.sluice.contract.event.MetricsWindow;
import dev.sluice.contract.event.RunDescribed;
import dev.sluice.contract.event.RunEnded;
import dev.sluice.contract.event.RunRecord;
import dev.sluice.contract.event.RunSummarized;
import dev.sluice.contract.event.WindowRecord;
import dev.sluice.contract.log.EventCodec;
import dev.sluice.contract.log.Reading;
import dev.sluice.contract.log.TopicReader;
import dev.sluice.contract.log.Topics;
import dev.sluice.contract.log.UnreadableEventException;
import dev.sluice.harness.kafka.KafkaAccess;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.errors.WakeupException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads a live run's topics {@code runs} and {@code metrics}, and no other, on a thread of its own.
 * A broker that goes is waited for, and read from the beginning where Kafka cannot go on; what is
 * known already changes nothing.
 */
final class TopicReading implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(TopicReading.class);
  private static final Duration POLL = Duration.ofMillis(200);
  private static final Duration ANSWER_LIMIT = Duration.ofSeconds(3);
  private static final long AGAIN_MS = 1000;
  private static final Duration CLOSE_LIMIT = Duration.ofSeconds(2);

  /** Newest records whose batches are read at the beginning: those of more than a minute. */
  private static final long ENDED_NEWEST = 300;

  /** Polls without a record after which a run that has ended gets no summary any more: 10 s. */
  private static final int SILENT_POLLS_MAX = 50;

  private static final String AWAY = "broker away";
  private static final String UNREADABLE = "records unreadable";

  private final KafkaAccess kafka;
  private final LiveRun run;
  private final Supplier<@Nullable RunSummarized> elsewhere;
  private final TopicPartition runs;
  private final TopicPartition metrics;
  private final CountDownLatch stopped = new CountDownLatch(1);
  private final Thread thread;
  private volatile @Nullable Consumer<byte[], byte[]> consumer;
  private volatile boolean draining;
  private @Nullable RunEnded end;
  private int silentPolls;
  private long unreadable;

  /**
   * Begins to read.
   *
   * @param elsewhere how the run came out, as known from elsewhere than its topics; asked whenever
   *     the topics are silent; null: not known
   */
  TopicReading(KafkaAccess kafka, LiveRun run, Supplier<@Nullable RunSummarized> elsewhere) {
    this.kafka = kafka;
    this.run = run;
    this.elsewhere = elsewhere;
    var topics = new Topics(run.id);
    runs = new TopicPartition(topics.runs(), 0);
    metrics = new TopicPartition(topics.metrics(), 0);
    thread = new Thread(this::read, "sluice-page-topics-" + run.id);
    thread.setDaemon(true);
    thread.start();
  }

  private void read() {
    while (!isStopped() && !run.hasEnded()) {
      try (var opened = kafka.clients().consumer(Reading.AT_ONCE, ANSWER_LIMIT)) {
        consumer = opened;
        begin(opened);
        run.trouble(AWAY, null);
        while (!isStopped() && !run.hasEnded()) {
          if (draining) {
            ends = opened.endOffsets(List.of(runs, metrics));
          }
          boolean last = draining;
          do {
            take(opened.poll(POLL));
          } while (last && !isStopped() && !isRead(opened));
          if (isRead(opened)) {
            run.caughtUp();
          }
          if (last) {
            stopped.countDown();
          }
        }
      } catch (WakeupException e) {
        LOG.debug("woken to stop", e);
      } catch (KafkaException e) {
        lost(e);
      } catch (RuntimeException e) {
        LOG.error("the page's reading failed", e);
        lost(e);
      } finally {
        consumer = null;
      }
    }
  }

  private boolean isStopped() {
    return stopped.getCount() == 0;
  }

  /** Tells the pages that the broker is away, and waits before the next attempt. */
  private void lost(RuntimeException e) {
    LOG.debug("the topics cannot be read", e);
    String said = kafka.secrets().hide(String.valueOf(e.getMessage()));
    run.trouble(AWAY, "the run's Kafka does not answer, or refuses these clients: " + said);
    run.caughtUp(); // a page shows what is known
    tellEndFromElsewhere();
    try {
      if (stopped.await(AGAIN_MS, TimeUnit.MILLISECONDS)) {
        LOG.debug("stopped while the broker was away");
      }
    } catch (InterruptedException interrupted) {
      stopped.countDown();
    }
  }

  /** Ends of the topics when the reading began; null: the broker did not know all of them. */
  private @Nullable Map<TopicPartition, Long> ends;

  private void begin(Consumer<byte[], byte[]> opened) {
    opened.assign(List.of(runs, metrics));
    opened.seekToBeginning(List.of(runs, metrics));
    try {
      ends = opened.endOffsets(List.of(runs, metrics));
    } catch (TimeoutException e) { // the topics are not there yet, or the broker is not
      ends = null;
    }
  }

  private boolean isRead(Consumer<byte[], byte[]> opened) {
    return ends == null || TopicReader.hasReadTo(ends, opened);
  }

  private void take(ConsumerRecords<byte[], byte[]> records) {
    for (TopicPartition partition : List.of(runs, metrics)) {
      for (ConsumerRecord<byte[], byte[]> record : records.records(partition)) {
        byte[] json = record.value();
        try {
          if (json == null) {
            throw new UnreadableEventException("a record without a value", null);
          }
          if (!isOld(record)) {
            take(partition, json);
          }
        } catch (UnreadableEventException e) {
          LOG.debug("{} at {} is no record of Sluice's", partition, record.offset(), e);
          unreadable++;
          run.trouble(
              UNREADABLE,
              unreadable
                  + " records are none that this version reads; the first newest one is at offset "
                  + record.offset()
                  + " of "
                  + record.topic());
        }
      }
    }
    if (!records.isEmpty()) {
      silentPolls = 0;
      return;
    }
    silentPolls++;
    tellEndFromElsewhere();
    RunEnded over = end;
    if (over != null && silentPolls > SILENT_POLLS_MAX) {
      run.ended(
          new RunSummarized(
              run.id,
              null,
              over.failure() != null ? over.failure() : "it ended, and left no summary here"));
    }
  }

  /** Whether the record holds batches that are too old for the page. */
  private boolean isOld(ConsumerRecord<byte[], byte[]> record) {
    long end = ends == null ? 0 : ends.getOrDefault(metrics, 0L);
    return record.offset() < end - ENDED_NEWEST
        && EventCodec.isNamed(BatchesEnded.class, record.value());
  }

  private void tellEndFromElsewhere() {
    RunSummarized known = elsewhere.get();
    if (known != null) {
      run.ended(known);
    }
  }

  private void take(TopicPartition partition, byte[] json) throws UnreadableEventException {
    if (partition.equals(runs)) {
      RunRecord record = EventCodec.RUNS.read(json);
      if (record instanceof RunEnded over) {
        end = over;
      }
      return;
    }
    WindowRecord record = EventCodec.METRICS.read(json);
    if (record instanceof RunDescribed described) {
      run.described(described);
    } else if (record instanceof MetricsWindow window) {
      run.settled(window);
    } else if (record instanceof BatchesEnded ended) {
      run.lanes(ended, json);
    } else if (record instanceof RunSummarized summarized) {
      run.ended(summarized);
    }
  }

  void drain() throws InterruptedException {
    draining = true;
    thread.join(CLOSE_LIMIT.toMillis());
    close();
  }

  @Override
  public void close() {
    stopped.countDown();
    Consumer<byte[], byte[]> reading = consumer;
    if (reading != null) {
      reading.wakeup();
    }
    try {
      thread.join(CLOSE_LIMIT.toMillis());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
