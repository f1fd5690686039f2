package dev.sluice.harness.profile;

import dev.sluice.contract.event.BatchCompleted;
import dev.sluice.contract.event.BatchDispatched;
import dev.sluice.contract.event.BatchDispatched.Decision;
import dev.sluice.contract.event.BatchDispatched.DispatchedJob;
import dev.sluice.contract.event.BatchDispatched.Place;
import dev.sluice.contract.event.BatchDispatched.Work;
import dev.sluice.contract.event.Event;
import dev.sluice.contract.event.ExecutorReported;
import dev.sluice.contract.event.ExecutorReported.Capability;
import dev.sluice.contract.event.JobEnded;
import dev.sluice.contract.event.JobRequested;
import dev.sluice.contract.log.EventCodec;
import dev.sluice.contract.log.LogClients;
import dev.sluice.contract.log.Reading;
import dev.sluice.contract.log.Topics;
import dev.sluice.contract.log.UnreadableEventException;
import dev.sluice.contract.log.Writing;
import dev.sluice.contract.value.DispatchId;
import dev.sluice.contract.value.Prediction;
import dev.sluice.executor.lane.Lane;
import dev.sluice.executor.latency.LatencyKey;
import dev.sluice.harness.machine.MachineClock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/**
 * Traffic of a run's records without the run: for each batch the four records that it would cause
 * (request, dispatch, completion, outcome), a report each heartbeat, and three readers that parse
 * them, as scheduler, executor and analytics do. Deliberately absent from the loop: the scheduler's
 * decisions, its transactions, and the fold of analytics.
 */
final class LoopTraffic implements AutoCloseable {
  private static final Duration POLL = Duration.ofMillis(100);
  private static final long CLOSE_SECONDS_MAX = 10;

  private final Topics topics;
  private final KafkaProducer<byte[], byte[]> producer;
  private final ScheduledExecutorService writer = MachineClock.timer("sluice-traffic-writer");
  private final List<Thread> readers = new ArrayList<>();
  private final AtomicReference<Throwable> failure = new AtomicReference<>();

  private volatile boolean closed;

  /** Number of batches; used by the writer's thread alone. */
  private long batches;

  private LoopTraffic(Topics topics, KafkaProducer<byte[], byte[]> producer) {
    this.topics = topics;
    this.producer = producer;
  }

  /** Connects to the topics of a run with one shard, and begins to read. */
  static LoopTraffic begin(Topics topics, LogClients kafka) {
    var traffic = new LoopTraffic(topics, kafka.producer(Writing.SINGLE));
    traffic.read("scheduler", kafka, List.of(topics.facts()));
    traffic.read("executor", kafka, List.of(topics.dispatches()));
    traffic.read("analyze", kafka, topics.sharded());
    return traffic;
  }

  private void read(String role, LogClients kafka, List<String> names) {
    var consumer = kafka.consumer(Reading.AT_ONCE);
    consumer.assign(names.stream().map(name -> new TopicPartition(name, 0)).toList());
    Thread thread = Lane.daemon(() -> readUntilClosed(consumer), "sluice-traffic-" + role);
    readers.add(thread);
    thread.start();
  }

  private void readUntilClosed(KafkaConsumer<byte[], byte[]> consumer) {
    try (consumer) {
      while (!closed) {
        for (var record : consumer.poll(POLL)) {
          topics.codec(record.topic()).read(record.value());
        }
      }
    } catch (UnreadableEventException | RuntimeException e) {
      failure.compareAndSet(null, e);
    }
  }

  /** Writes a report each heartbeat, as an executor does. */
  void reportEach(
      int heartbeatMs, String deviceKind, int lanes, long tokens, List<Capability> capabilities) {
    var report =
        ExecutorReported.of(
            "profile",
            1,
            false,
            deviceKind,
            tokens,
            IntStream.range(0, lanes)
                .mapToObj(lane -> new ExecutorReported.Lane(lane, List.of()))
                .toList(),
            capabilities);
    var unused =
        writer.scheduleAtFixedRate(
            () -> send(topics.facts(), EventCodec.FACTS, report),
            heartbeatMs,
            heartbeatMs,
            TimeUnit.MILLISECONDS);
  }

  /** Sends the records that an ended batch would have caused. Called from any thread. */
  void batchEnded(LatencyKey key, String jobId, int lane, long endedAtNs, long serviceNs) {
    writer.execute(() -> write(key, jobId, lane, Math.max(serviceNs, endedAtNs), serviceNs));
  }

  private void write(LatencyKey key, String jobId, int lane, long endedAtNs, long serviceNs) {
    long startedAtNs = endedAtNs - serviceNs;
    var id = new DispatchId(batches, 0);
    send(
        topics.facts(),
        EventCodec.FACTS,
        new JobRequested(
            jobId,
            0,
            batches++,
            "batch",
            key.workload(),
            key.backend(),
            key.precision(),
            key.samples(),
            1_000_000_000,
            startedAtNs,
            startedAtNs));
    send(
        topics.dispatches(),
        EventCodec.DISPATCHES,
        new BatchDispatched(
            id,
            new Place("profile", 1, List.of(lane)),
            Work.firstAttempt(key.model(), List.of(new DispatchedJob(jobId, key.samples())), 1),
            Decision.at(startedAtNs),
            Prediction.ofMean(serviceNs, "warm_up", key.busyLanes())));
    send(
        topics.facts(),
        EventCodec.FACTS,
        BatchCompleted.done(id, "profile", 1, lane, startedAtNs, serviceNs, key.busyLanes()));
    send(topics.outcomes(), EventCodec.OUTCOMES, JobEnded.done(jobId, id, 1, endedAtNs));
  }

  private <E extends Event> void send(String topic, EventCodec<E> codec, E event) {
    var unused =
        producer.send(
            new ProducerRecord<>(topic, 0, null, codec.write(event)),
            (written, problem) -> {
              if (problem != null) {
                failure.compareAndSet(null, problem);
              }
            });
  }

  @Nullable Throwable failure() {
    return failure.get();
  }

  @Override
  public void close() throws InterruptedException {
    writer.shutdownNow();
    boolean unused = writer.awaitTermination(CLOSE_SECONDS_MAX, TimeUnit.SECONDS);
    producer.close(Duration.ofSeconds(CLOSE_SECONDS_MAX));
    closed = true;
    for (Thread reader : readers) {
      reader.join(TimeUnit.SECONDS.toMillis(CLOSE_SECONDS_MAX));
    }
  }
}
