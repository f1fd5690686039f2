package dev.sluice.producer.generator;

import dev.sluice.contract.codec.EventCodec;
import dev.sluice.contract.event.ArrivalsEnded;
import dev.sluice.contract.event.ExecutorReported;
import dev.sluice.contract.event.Fact;
import dev.sluice.contract.event.JobEnded;
import dev.sluice.contract.event.JobRequested;
import dev.sluice.contract.event.Outcome;
import dev.sluice.contract.event.RunEnded;
import dev.sluice.contract.event.RunRecord;
import dev.sluice.contract.event.RunStarted;
import dev.sluice.contract.experiment.Experiment;
import dev.sluice.contract.file.UserMistakeException;
import dev.sluice.contract.log.LogClients;
import dev.sluice.contract.log.TopicReader;
import dev.sluice.contract.log.Topics;
import dev.sluice.contract.time.Pacer;
import dev.sluice.contract.time.ProcessClock;
import dev.sluice.contract.time.RunClock;
import dev.sluice.contract.value.Reason;
import dev.sluice.producer.requests.LaneCoverage;
import dev.sluice.producer.requests.RequestList;
import dev.sluice.producer.requests.Seconds;
import java.time.Duration;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.InterruptException;
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
 *
 * <p>While the broker is away, sends wait, and are late; it may be away for a minute. What the
 * generators give up, for whatever reason, they end with the reason, as far as the broker lets
 * them.
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
  private final RunLog runLog;
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
  private volatile List<JobGenerator> generators = List.of();
  private @Nullable RunClock runClock;
  private @Nullable RunEnded endedByOthers;

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
   * @param clock this process's clock; its distance to the broker's is measured and reported
   */
  public JobGenerators(
      Experiment experiment,
      RequestList requests,
      String runId,
      String configDigest,
      Topics topics,
      LogClients clients,
      ProcessClock clock,
      Pacer pacer,
      GeneratorListener listener,
      TimeLimits limits) {
    this.experiment = experiment;
    this.requests = requests;
    this.runId = runId;
    this.configDigest = configDigest;
    this.topics = topics;
    this.clock = clock;
    this.pacer = pacer;
    this.listener = listener;
    this.limits = limits;
    this.shards = experiment.kafka().shards();
    this.runLog = new RunLog(topics, shards, clients);
  }

  /**
   * Runs from waiting for lanes to the run's end.
   *
   * @return the run's end as it stands in the log; empty if it was stopped before it began, and
   *     nothing written
   * @throws UserMistakeException if the topics hold a run that has begun
   * @throws RunFailedException if lanes are missing, a send failed, or outcomes are missing, each
   *     after its time limit, or if another role gave the run up
   * @throws InterruptedException if this thread was interrupted; the run is left without an end
   */
  public Optional<RunEnded> run()
      throws RunFailedException, UserMistakeException, InterruptedException {
    return run(false);
  }

  /**
   * Like {@link #run()}, but if the run has begun and its generators are gone, goes on for them:
   * sends the jobs whose intended time is still to come, never those that it passed over, and ends
   * the run. The lateness that it reports is of all jobs of the run. If it is stopped at its very
   * beginning it ends the run nevertheless, for nobody else is there to do so.
   *
   * @throws UserMistakeException if the run has ended, or had begun with another experiment
   */
  public Optional<RunEnded> resume()
      throws RunFailedException, UserMistakeException, InterruptedException {
    return run(true);
  }

  private Optional<RunEnded> run(boolean resuming)
      throws RunFailedException, UserMistakeException, InterruptedException {
    try {
      return begin(resuming);
    } catch (InterruptException e) {
      boolean unused = Thread.interrupted(); // Kafka sets it again; the exception says it instead
      var interrupted = new InterruptedException("interrupted in a call to Kafka");
      interrupted.initCause(e);
      throw interrupted;
    } catch (KafkaException e) {
      throw givenUp(new RunFailedException("Kafka failed the generators: " + e.getMessage(), e));
    } catch (RunFailedException e) {
      throw givenUp(e);
    } finally {
      close();
    }
  }

  private Optional<RunEnded> begin(boolean resuming)
      throws RunFailedException, UserMistakeException, InterruptedException {
    RunSoFar soFar = readRunSoFar(resuming);
    if (stopRequested && !resuming) {
      return Optional.empty(); // it may not have been read to its end
    }
    refuseIfForeign(soFar, resuming);
    boolean begun = soFar.started() != null;
    if (!begun && !waitForLanes()) {
      return Optional.empty();
    }
    openProducers();
    return stopRequested && !begun ? Optional.empty() : Optional.of(runToItsEnd(soFar));
  }

  /** Ends the arrivals early. From any thread, any number of times; {@link #run()} then returns. */
  public void stop() {
    stopRequested = true;
  }

  /** How far they are. From any thread, at any time. */
  public GeneratorNumbers numbers() {
    List<JobGenerator> all = generators;
    return new GeneratorNumbers(
        all.stream().mapToLong(JobGenerator::jobsSent).sum(),
        all.stream().mapToLong(JobGenerator::latenessNsNow).max().orElse(0),
        all.stream().mapToLong(JobGenerator::latenessNsMax).max().orElse(0),
        arrivalsOver);
  }

  /** Ends the run with the reason, unless another role has ended it. */
  private RunFailedException givenUp(RunFailedException why) {
    if (endedByOthers != null) {
      return why;
    }
    close();
    RunClock runClock = this.runClock;
    var ended =
        new RunEnded(
            runId,
            numbers().jobsSent(),
            false,
            stopRequested,
            runClock == null ? 0 : runClock.nowNs(),
            why.getMessage());
    Producer<byte[], byte[]> producer = runLog.openLastWordProducer();
    try (producer) {
      producer
          .send(onlyPartition(topics.runs(), EventCodec.RUNS.write(ended)))
          .get(CLOSE_MAX.toMillis(), TimeUnit.MILLISECONDS);
    } catch (InterruptException | InterruptedException e) {
      Thread.currentThread().interrupt();
      log.warn("The run's end could not be written.", e);
    } catch (KafkaException | ExecutionException | TimeoutException e) {
      log.warn("The run's end could not be written.", e);
    }
    return why;
  }

  /** Reads facts only if they are needed: they may be many. */
  private RunSoFar readRunSoFar(boolean resuming) throws RunFailedException {
    var soFar = new RunSoFar(resuming ? requests.size() : 0);
    try (var runs = runLog.openConsumer(runLog.runs())) {
      readToEnd(runs, resuming, entry -> addRecord(soFar, entry));
    }
    if (resuming && soFar.started() != null) {
      try (var facts = runLog.openConsumer(runLog.facts())) {
        readToEnd(facts, resuming, entry -> addFact(soFar, entry));
      }
    }
    return soFar;
  }

  private static void addRecord(RunSoFar soFar, ConsumerRecord<byte[], byte[]> entry) {
    RunRecord read = RunLog.readOrNull(EventCodec.RUNS, entry);
    if (read != null) {
      soFar.add(read);
    }
  }

  private static void addFact(RunSoFar soFar, ConsumerRecord<byte[], byte[]> entry) {
    Fact fact = RunLog.readOrNull(EventCodec.FACTS, entry);
    if (fact != null) {
      soFar.add(entry.partition(), fact);
    }
  }

  private void readToEnd(
      Consumer<byte[], byte[]> consumer,
      boolean evenIfStopped,
      java.util.function.Consumer<ConsumerRecord<byte[], byte[]>> fold)
      throws RunFailedException {
    Map<TopicPartition, Long> endOffsets = consumer.endOffsets(consumer.assignment());
    long deadlineNs = clock.monotonicNs() + limits.untilLanesReady().toNanos();
    while ((evenIfStopped || !stopRequested) && !TopicReader.hasReadTo(endOffsets, consumer)) {
      consumer.poll(POLL).forEach(fold);
      if (clock.monotonicNs() - deadlineNs >= 0) {
        throw new RunFailedException(
            "the run's topics could not be read within (%d) s"
                .formatted(limits.untilLanesReady().toSeconds()),
            null);
      }
    }
  }

  private void refuseIfForeign(RunSoFar soFar, boolean resuming) throws UserMistakeException {
    RunStarted started = soFar.started();
    if (soFar.ended() != null) {
      throw new UserMistakeException(
          "--run-id",
          "the run (" + runId + ") has ended",
          "you want another --run-id; what an ended run left is not added to");
    }
    if (started == null) {
      return;
    }
    if (!resuming) {
      throw new UserMistakeException(
          "--run-id",
          "the run (" + runId + ") has begun",
          "its generators are gone, then --resume goes on for them; or you want another --run-id");
    }
    if (!started.runId().equals(runId)
        || !started.configDigest().equals(configDigest)
        || !started.requestDigest().equals(requests.digest())) {
      throw new UserMistakeException(
          "--resume",
          "the run (%s) has begun with another experiment (config digest %s, not %s)"
              .formatted(started.runId(), started.configDigest(), configDigest),
          "the file was changed since, or a --set differs");
    }
  }

  /** Returns false if it was stopped. */
  private boolean waitForLanes() throws RunFailedException {
    var coverage = new LaneCoverage(requests.kinds(), shards);
    long deadlineNs = clock.monotonicNs() + limits.untilLanesReady().toNanos();
    try (Consumer<byte[], byte[]> facts = runLog.openConsumer(runLog.facts())) {
      Map<TopicPartition, Long> endOffsets = facts.endOffsets(facts.assignment());
      boolean told = false;
      while (!stopRequested) {
        for (ConsumerRecord<byte[], byte[]> entry : facts.poll(POLL)) {
          if (RunLog.readOrNull(EventCodec.FACTS, entry) instanceof ExecutorReported report) {
            coverage.reported(entry.partition(), report);
          }
        }
        if (TopicReader.hasReadTo(endOffsets, facts)) {
          if (coverage.complete()) {
            return true;
          }
          if (!told) {
            told = true;
            listener.waitingForLanes(coverage.missing());
          }
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
   * Opens the producers, one per generator and before them one for the run itself, and lets them
   * find the broker, so that the first jobs are not late.
   */
  private void openProducers() throws InterruptedException {
    // Producers' own threads are begun by this one, and hold locks that the generators need: they
    // are to run as promptly as those.
    pacer.awaitNs(clock.monotonicNs());
    for (int i = 0; i <= experiment.generators(); i++) {
      Producer<byte[], byte[]> producer = runLog.openProducer();
      producers.add(producer);
      producer.partitionsFor(topics.facts());
    }
    producers.get(0).partitionsFor(topics.runs());
    for (int i = 0; i < Math.min(WARM_UP_JOBS, requests.size()); i++) {
      EventCodec.FACTS.write(JobGenerator.requested(requests.get(i), 0, 0)); // loads and compiles
    }
  }

  private RunEnded runToItsEnd(RunSoFar soFar) throws RunFailedException, InterruptedException {
    long durationNs = Seconds.toNs(experiment.durationSeconds());
    var end =
        new ArrivalsEnd(
            durationNs,
            Seconds.toNs(experiment.durationSeconds() + experiment.tailSeconds()),
            requests.countBefore(Seconds.toNs(experiment.warmupSeconds())),
            requests.countBefore(durationNs));
    try (Consumer<byte[], byte[]> outcomes =
        runLog.openCommittedConsumer(runLog.outcomesAndRuns())) {
      RunStarted started = soFar.started();
      RunClock runClock =
          clock.forRun(
              started == null ? writeRunStarted(soFar) : completeRunStarted(started, soFar));
      this.runClock = runClock;
      generators = generators(soFar, runClock);
      var passedOver = new BitSet();
      generators.forEach(generator -> passedOver.or(generator.passedOver()));
      end.passedOver(passedOver);

      Optional<EndOfArrivals> reason = Optional.empty();
      if (!soFar.arrivalsEnded()) {
        generators.forEach(this::startThread);
        reason = watchUntilArrivalsEnd(end, runClock, outcomes);
      }
      arrivalsOver = true;
      reason.ifPresent(listener::arrivalsEnding);
      joinThreads();
      failIfSendFailed();
      var sent = new BitSet();
      generators.forEach(generator -> sent.or(generator.sent()));
      if (endedByOthers == null) {
        writeArrivalsEnded(soFar);
        watchUntilOutcomesComplete(end, sent, outcomes);
      }
      if (endedByOthers != null) {
        return acknowledge(endedByOthers);
      }
      return writeRunEnded(sent.cardinality(), reason.orElseGet(end::before), runClock.nowNs());
    }
  }

  private List<JobGenerator> generators(RunSoFar soFar, RunClock runClock) {
    List<JobGenerator> made =
        IntStream.range(0, experiment.generators())
            .mapToObj(g -> new JobGenerator(g, experiment.generators(), requests, runClock, pacer))
            .toList();
    if (soFar.started() != null) {
      soFar.sent().stream()
          .forEach(
              index ->
                  made.get(index % experiment.generators())
                      .sentBefore(index, soFar.sentAtNs(index)));
      long nowNs = runClock.nowNs();
      made.forEach(generator -> generator.goOnAt(nowNs));
    }
    return made;
  }

  private long writeRunStarted(RunSoFar soFar) throws RunFailedException, InterruptedException {
    long timeZeroEpochMs = Math.floorDiv(clock.epochNs() + AHEAD_NS, NS_PER_MS) + 1;
    var started =
        new RunStarted(
            runId,
            timeZeroEpochMs,
            experiment.seed(),
            configDigest,
            requests.digest(),
            shards,
            experiment.generators(),
            Seconds.toNs(experiment.durationSeconds() + experiment.tailSeconds()));
    await(producers.get(0).send(onlyPartition(topics.runs(), EventCodec.RUNS.write(started))));
    return completeRunStarted(started, soFar);
  }

  /** Tells the shards of the beginning that do not know of it; returns time zero. */
  private long completeRunStarted(RunStarted started, RunSoFar soFar)
      throws RunFailedException, InterruptedException {
    var writes = new ArrayList<Future<RecordMetadata>>();
    for (int shard = 0; shard < shards; shard++) {
      if (!soFar.started(shard)) {
        writes.add(sendFact(producers.get(0), shard, started));
      }
    }
    for (Future<RecordMetadata> write : writes) {
      await(write);
    }
    listener.runStarted(started.timeZeroEpochMs());
    return started.timeZeroEpochMs();
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

  private Optional<EndOfArrivals> watchUntilArrivalsEnd(
      ArrivalsEnd end, RunClock runClock, Consumer<byte[], byte[]> outcomes)
      throws RunFailedException {
    while (endedByOthers == null) {
      boolean listSent = threads.stream().noneMatch(Thread::isAlive);
      failIfSendFailed();
      readOutcomes(outcomes, end);
      Optional<EndOfArrivals> reason = end.at(runClock.nowNs(), stopRequested, listSent);
      if (reason.isPresent()) {
        return reason;
      }
    }
    return Optional.empty();
  }

  private void writeArrivalsEnded(RunSoFar soFar) throws RunFailedException, InterruptedException {
    for (JobGenerator generator : generators) {
      BitSet sent = generator.sent();
      for (int shard = 0; shard < shards; shard++) {
        int thisShard = shard;
        if (soFar.arrivalsEnded(generator.number(), shard)) {
          continue;
        }
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
    while (!missing.isEmpty() && endedByOthers == null) {
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
            endedAtNs,
            null);
    await(producers.get(0).send(onlyPartition(topics.runs(), EventCodec.RUNS.write(ended))));
    listener.runEnded(ended);
    return ended;
  }

  /** The first end counts, so that another role's ends these generators too. */
  private RunEnded acknowledge(RunEnded ended) throws RunFailedException {
    if (ended.failure() != null) {
      throw new RunFailedException("another role gave the run up: " + ended.failure(), null);
    }
    listener.runEnded(ended);
    return ended;
  }

  private void readOutcomes(Consumer<byte[], byte[]> outcomes, ArrivalsEnd end) {
    for (ConsumerRecord<byte[], byte[]> entry : outcomes.poll(POLL)) {
      if (entry.topic().equals(topics.runs())) {
        if (endedByOthers == null
            && RunLog.readOrNull(EventCodec.RUNS, entry) instanceof RunEnded ended) {
          endedByOthers = ended;
        }
        continue;
      }
      Outcome outcome = RunLog.readOrNull(EventCodec.OUTCOMES, entry);
      if (outcome instanceof JobEnded jobEnded) {
        int index = requests.indexOf(jobEnded.jobId());
        if (index >= 0) {
          end.ended(index, Reason.RUN_ENDED.is(jobEnded.reason()));
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
