package dev.sluice.producer;

import dev.sluice.contract.ArrivalsEnded;
import dev.sluice.contract.Event;
import dev.sluice.contract.EventCodec;
import dev.sluice.contract.ExecutorReported;
import dev.sluice.contract.Fact;
import dev.sluice.contract.JobEnded;
import dev.sluice.contract.JobRequested;
import dev.sluice.contract.Outcome;
import dev.sluice.contract.Pacer;
import dev.sluice.contract.ProcessClock;
import dev.sluice.contract.RunClock;
import dev.sluice.contract.RunEnded;
import dev.sluice.contract.RunStarted;
import dev.sluice.contract.Topics;
import dev.sluice.contract.UnreadableEventException;
import dev.sluice.contract.experiment.Experiment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The generators of one run, all in this process: they begin the run once the lanes are there, send
 * its jobs on time, and end it once every job has its outcome. For one run; not to be used twice.
 *
 * <p>The thread of {@link #run()} watches and decides; each generator has a thread and a producer
 * of its own. The topics must exist. Bytes in a topic that are no event are passed over here:
 * analytics keeps them.
 */
public final class JobGenerators {
  private static final Logger log = LoggerFactory.getLogger(JobGenerators.class);
  private static final Duration POLL = Duration.ofMillis(50);
  private static final Duration CLOSE_MAX = Duration.ofSeconds(5);
  private static final long AHEAD_NS = 300_000_000;
  private static final long NS_PER_MS = 1_000_000;
  private static final int WARM_UP_JOBS = 500;
  private static final int MISSING_SHOWN_MAX = 5;

  private final Experiment experiment;
  private final RequestList requests;
  private final String runId;
  private final String configDigest;
  private final Topics topics;
  private final Map<String, Object> clientProperties;
  private final ProcessClock clock;
  private final Pacer pacer;
  private final GeneratorListener listener;
  private final TimeLimits limits;
  private final int shards;

  private final ClockOffset clockOffset = new ClockOffset();
  private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
  private final List<Producer<byte[], byte[]>> producers = new ArrayList<>();
  private final List<Thread> threads = new ArrayList<>();
  private volatile boolean stopRequested;
  private volatile boolean arrivalsOver;

  /**
   * How long the run waits for others before it fails.
   *
   * @param untilLanesReady from the call of {@link #run()} until each shard has a lane for each
   *     kind of job
   * @param untilOutcomesComplete from the last arrival until every job sent has its outcome
   */
  public record TimeLimits(Duration untilLanesReady, Duration untilOutcomesComplete) {}

  /**
   * @param requests what {@link RequestList#draw} made of the experiment
   * @param configDigest SHA-256 of the resolved experiment
   * @param clientProperties for every Kafka client, at least {@code bootstrap.servers}
   * @param clock this process's clock; its distance to the broker's is measured and reported
   */
  public JobGenerators(
      Experiment experiment,
      RequestList requests,
      String runId,
      String configDigest,
      Topics topics,
      Map<String, Object> clientProperties,
      ProcessClock clock,
      Pacer pacer,
      GeneratorListener listener,
      TimeLimits limits) {
    this.experiment = experiment;
    this.requests = requests;
    this.runId = runId;
    this.configDigest = configDigest;
    this.topics = topics;
    this.clientProperties = Map.copyOf(clientProperties);
    this.clock = clock;
    this.pacer = pacer;
    this.listener = listener;
    this.limits = limits;
    this.shards = experiment.kafka().shards();
  }

  /**
   * Runs from waiting for lanes to the run's end.
   *
   * @return the run's end as written; empty if it was stopped before it began, and nothing written
   * @throws RunFailedException if lanes are missing, a send failed, or outcomes are missing, each
   *     after its time limit
   * @throws InterruptedException if this thread was interrupted; the run is left without an end
   */
  public Optional<RunEnded> run() throws RunFailedException, InterruptedException {
    try {
      if (!waitForLanes()) {
        return Optional.empty();
      }
      openProducers();
      return stopRequested ? Optional.empty() : Optional.of(runToItsEnd());
    } catch (InterruptException e) {
      boolean unused = Thread.interrupted(); // Kafka sets it again; the exception says it instead
      var interrupted = new InterruptedException("interrupted in a call to Kafka");
      interrupted.initCause(e);
      throw interrupted;
    } catch (KafkaException e) {
      throw new RunFailedException("Kafka failed the generators: " + e.getMessage(), e);
    } finally {
      close();
    }
  }

  /** Ends the arrivals early. From any thread, any number of times; {@link #run()} then returns. */
  public void stop() {
    stopRequested = true;
  }

  /** Returns false if it was stopped. */
  private boolean waitForLanes() throws RunFailedException {
    var coverage = new LaneCoverage(requests.kinds(), shards);
    long deadlineNs = clock.monotonicNs() + limits.untilLanesReady().toNanos();
    try (Consumer<byte[], byte[]> facts = openConsumer(topics.facts(), "read_uncommitted")) {
      Map<TopicPartition, Long> endOffsets = facts.endOffsets(facts.assignment());
      while (!stopRequested) {
        for (ConsumerRecord<byte[], byte[]> entry : facts.poll(POLL)) {
          if (readOrNull(EventCodec.FACTS, entry) instanceof ExecutorReported report) {
            coverage.reported(entry.partition(), report);
          }
        }
        if (coverage.complete() && hasReadTo(endOffsets, facts)) {
          return true;
        }
        if (clock.monotonicNs() - deadlineNs >= 0) {
          throw new RunFailedException(
              "lanes are missing after (%d) s: %s"
                  .formatted(
                      limits.untilLanesReady().toSeconds(), String.join("; ", coverage.missing())),
              null);
        }
      }
    }
    return false;
  }

  /**
   * Whether nothing that stood in the log at first is unread: an executor may have left by then.
   */
  private static boolean hasReadTo(
      Map<TopicPartition, Long> endOffsets, Consumer<byte[], byte[]> consumer) {
    return endOffsets.entrySet().stream()
        .allMatch(end -> consumer.position(end.getKey()) >= end.getValue());
  }

  /**
   * Opens the producers, one per generator and before them one for the run itself, and lets them
   * find the broker, so that the first jobs are not late.
   */
  private void openProducers() {
    for (int i = 0; i <= experiment.generators(); i++) {
      Producer<byte[], byte[]> producer = openProducer();
      producers.add(producer);
      producer.partitionsFor(topics.facts());
    }
    producers.get(0).partitionsFor(topics.runs());
    for (int i = 0; i < Math.min(WARM_UP_JOBS, requests.size()); i++) {
      EventCodec.FACTS.write(JobGenerator.requested(requests.get(i), 0, 0)); // loads and compiles
    }
  }

  private RunEnded runToItsEnd() throws RunFailedException, InterruptedException {
    long durationNs = Seconds.toNs(experiment.durationSeconds());
    var end =
        new ArrivalsEnd(
            durationNs,
            Seconds.toNs(experiment.durationSeconds() + experiment.tailSeconds()),
            requests.countBefore(Seconds.toNs(experiment.warmupSeconds())),
            requests.countBefore(durationNs));
    try (Consumer<byte[], byte[]> outcomes = openConsumer(topics.outcomes(), "read_committed")) {
      RunClock runClock = clock.forRun(writeRunStarted());
      List<JobGenerator> generators =
          IntStream.range(0, experiment.generators())
              .mapToObj(
                  g -> new JobGenerator(g, experiment.generators(), requests, runClock, pacer))
              .toList();
      generators.forEach(this::startThread);

      EndOfArrivals reason = watchUntilArrivalsEnd(end, runClock, outcomes);
      arrivalsOver = true;
      listener.arrivalsEnding(reason);
      joinThreads();
      failIfSendFailed();
      writeArrivalsEnded(generators);

      var sent = new BitSet();
      generators.forEach(generator -> sent.or(generator.sent()));
      watchUntilOutcomesComplete(end, sent, outcomes);
      return writeRunEnded(sent.cardinality(), reason, runClock.nowNs());
    }
  }

  private long writeRunStarted() throws RunFailedException, InterruptedException {
    long timeZeroEpochMs = Math.floorDiv(clock.epochNs() + AHEAD_NS, NS_PER_MS) + 1;
    var started =
        new RunStarted(
            runId,
            timeZeroEpochMs,
            experiment.seed(),
            configDigest,
            requests.digest(),
            shards,
            experiment.generators());
    var writes = new ArrayList<Future<RecordMetadata>>();
    writes.add(producers.get(0).send(onlyPartition(topics.runs(), EventCodec.RUNS.write(started))));
    for (int shard = 0; shard < shards; shard++) {
      writes.add(sendFact(producers.get(0), shard, started));
    }
    for (Future<RecordMetadata> write : writes) {
      await(write);
    }
    listener.runStarted(timeZeroEpochMs);
    return timeZeroEpochMs;
  }

  private void startThread(JobGenerator generator) {
    Producer<byte[], byte[]> producer = producerOf(generator);
    var thread =
        new Thread(
            () -> {
              try {
                generator.sendAll(
                    () -> arrivalsOver || failure.get() != null, job -> sendJob(producer, job));
                producer.flush();
              } catch (InterruptedException | RuntimeException | Error e) {
                failure.compareAndSet(null, e);
              }
            },
            "generator-" + generator.number());
    threads.add(thread);
    thread.start();
  }

  private EndOfArrivals watchUntilArrivalsEnd(
      ArrivalsEnd end, RunClock runClock, Consumer<byte[], byte[]> outcomes)
      throws RunFailedException {
    while (true) {
      boolean listSent = threads.stream().noneMatch(Thread::isAlive);
      failIfSendFailed();
      readOutcomes(outcomes, end);
      Optional<EndOfArrivals> reason = end.at(runClock.nowNs(), stopRequested, listSent);
      if (reason.isPresent()) {
        return reason.get();
      }
    }
  }

  private void writeArrivalsEnded(List<JobGenerator> generators)
      throws RunFailedException, InterruptedException {
    for (JobGenerator generator : generators) {
      BitSet sent = generator.sent();
      for (int shard = 0; shard < shards; shard++) {
        int thisShard = shard;
        var ended =
            new ArrivalsEnded(
                generator.number(),
                sent.stream().filter(index -> shardOf(index) == thisShard).count(),
                generator.lateness().p99Ns(),
                generator.lateness().maxNs(),
                clockOffset.maxNs());
        await(sendFact(producerOf(generator), shard, ended));
      }
    }
  }

  private void watchUntilOutcomesComplete(
      ArrivalsEnd end, BitSet sent, Consumer<byte[], byte[]> outcomes) throws RunFailedException {
    long deadlineNs = clock.monotonicNs() + limits.untilOutcomesComplete().toNanos();
    BitSet missing = end.withoutOutcome(sent);
    while (!missing.isEmpty()) {
      if (clock.monotonicNs() - deadlineNs >= 0) {
        throw new RunFailedException(
            "outcomes are missing (%d) s after the last arrival: (%d) of (%d) jobs, the first: %s"
                .formatted(
                    limits.untilOutcomesComplete().toSeconds(),
                    missing.cardinality(),
                    sent.cardinality(),
                    missing.stream()
                        .limit(MISSING_SHOWN_MAX)
                        .mapToObj(index -> requests.get(index).jobId())
                        .collect(Collectors.joining(", "))),
            null);
      }
      readOutcomes(outcomes, end);
      missing = end.withoutOutcome(sent);
    }
  }

  private RunEnded writeRunEnded(long jobsSent, EndOfArrivals reason, long endedAtNs)
      throws RunFailedException, InterruptedException {
    var ended =
        new RunEnded(
            runId,
            jobsSent,
            reason == EndOfArrivals.TAIL_LIMIT,
            reason == EndOfArrivals.STOPPED,
            endedAtNs);
    await(producers.get(0).send(onlyPartition(topics.runs(), EventCodec.RUNS.write(ended))));
    listener.runEnded(ended);
    return ended;
  }

  private void readOutcomes(Consumer<byte[], byte[]> outcomes, ArrivalsEnd end) {
    for (ConsumerRecord<byte[], byte[]> entry : outcomes.poll(POLL)) {
      Outcome outcome = readOrNull(EventCodec.OUTCOMES, entry);
      if (outcome instanceof JobEnded jobEnded) {
        int index = requests.indexOf(jobEnded.jobId());
        if (index >= 0) {
          end.ended(index);
        }
      }
    }
  }

  private void sendJob(Producer<byte[], byte[]> producer, JobRequested job) {
    var unused = sendFact(producer, shardOf(job.index()), job); // its callback tells of a failure
  }

  private int shardOf(long index) {
    return (int) (index % shards);
  }

  /** Sends without waiting; the acknowledgement dates the clock, a refusal fails the run. */
  private Future<RecordMetadata> sendFact(Producer<byte[], byte[]> producer, int shard, Fact fact) {
    byte[] bytes = EventCodec.FACTS.write(fact);
    long sentEpochNs = clock.epochNs();
    return producer.send(
        new ProducerRecord<>(topics.facts(), shard, null, bytes),
        (metadata, exception) -> {
          if (exception == null && metadata.hasTimestamp()) {
            clockOffset.observe(sentEpochNs, clock.epochNs(), metadata.timestamp());
          }
          if (exception != null) {
            failure.compareAndSet(null, exception);
          }
        });
  }

  private Producer<byte[], byte[]> producerOf(JobGenerator generator) {
    return producers.get(generator.number() + 1);
  }

  private static ProducerRecord<byte[], byte[]> onlyPartition(String topic, byte[] bytes) {
    return new ProducerRecord<>(topic, 0, null, bytes);
  }

  private static void await(Future<RecordMetadata> write)
      throws RunFailedException, InterruptedException {
    try {
      write.get();
    } catch (ExecutionException e) {
      throw new RunFailedException("a record could not be written: " + e.getMessage(), e);
    }
  }

  private void failIfSendFailed() throws RunFailedException {
    Throwable cause = failure.get();
    if (cause != null) {
      throw new RunFailedException("a generator could not send: " + cause.getMessage(), cause);
    }
  }

  private static <E extends Event> @Nullable E readOrNull(
      EventCodec<E> codec, ConsumerRecord<byte[], byte[]> entry) {
    if (entry.value() == null) {
      return null;
    }
    try {
      return codec.read(entry.value());
    } catch (UnreadableEventException e) {
      return null;
    }
  }

  private Producer<byte[], byte[]> openProducer() {
    var properties = new HashMap<>(clientProperties);
    properties.put(ProducerConfig.ACKS_CONFIG, "all");
    properties.put(ProducerConfig.ENABLE_IDEMPOTENCE_CONFIG, true);
    properties.put(ProducerConfig.LINGER_MS_CONFIG, 0);
    properties.put(ProducerConfig.MAX_BLOCK_MS_CONFIG, 5_000);
    return new KafkaProducer<>(properties, new ByteArraySerializer(), new ByteArraySerializer());
  }

  /** A consumer of all shards of a topic, from the beginning. */
  private Consumer<byte[], byte[]> openConsumer(String topic, String isolationLevel) {
    var properties = new HashMap<>(clientProperties);
    properties.put(ConsumerConfig.ISOLATION_LEVEL_CONFIG, isolationLevel);
    properties.put(ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG, false);
    properties.put(ConsumerConfig.ALLOW_AUTO_CREATE_TOPICS_CONFIG, false);
    properties.put(ConsumerConfig.AUTO_OFFSET_RESET_CONFIG, "earliest");
    properties.put(ConsumerConfig.FETCH_MIN_BYTES_CONFIG, 1);
    var consumer =
        new KafkaConsumer<>(properties, new ByteArrayDeserializer(), new ByteArrayDeserializer());
    List<TopicPartition> partitions =
        IntStream.range(0, shards).mapToObj(shard -> new TopicPartition(topic, shard)).toList();
    consumer.assign(partitions);
    consumer.seekToBeginning(partitions);
    return consumer;
  }

  private void joinThreads() throws InterruptedException {
    for (Thread thread : threads) {
      thread.join();
    }
  }

  /** Leaves no thread behind, also when this thread was interrupted or a send cannot complete. */
  private void close() {
    boolean interrupted = Thread.interrupted(); // closing a producer would give up at once
    arrivalsOver = true;
    for (Producer<byte[], byte[]> producer : producers) {
      try {
        producer.close(CLOSE_MAX); // ends a flush that still waits
      } catch (KafkaException e) { // must not hide why the run ends
        log.warn("A producer did not close cleanly.", e);
        interrupted |= Thread.interrupted();
      }
    }
    for (Thread thread : threads) {
      while (thread.isAlive()) {
        try {
          thread.join();
        } catch (InterruptedException e) {
          interrupted = true;
        }
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
