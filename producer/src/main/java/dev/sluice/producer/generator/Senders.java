package dev.sluice.producer.generator;

import dev.sluice.contract.event.ArrivalsEnded;
import dev.sluice.contract.event.Fact;
import dev.sluice.contract.event.RunRecord;
import dev.sluice.contract.event.RunStarted;
import dev.sluice.contract.log.EventCodec;
import dev.sluice.contract.log.Pacer;
import dev.sluice.contract.log.ProcessClock;
import dev.sluice.contract.log.RunClock;
import dev.sluice.producer.generator.JobGenerators.GeneratorNumbers;
import dev.sluice.producer.generator.JobGenerators.RunFailedException;
import dev.sluice.producer.requests.ArrivalList;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import java.util.function.ObjIntConsumer;
import java.util.stream.IntStream;
import org.apache.kafka.common.KafkaException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * All writers of one run: the generators, each with its own thread and writer, and the writer of
 * the run itself. The first failure of a send or of a generator ends all sending. Used by the
 * thread of {@link JobGenerators#run()}, except for {@link #numbers()}.
 */
final class Senders {
  private static final Logger LOG = LoggerFactory.getLogger(Senders.class);
  private static final int WARM_UP_JOBS = 500;

  private final GeneratorSettings settings;
  private final GeneratorLog log;
  private final GeneratorThreads threads;
  private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();

  /** Writers: the first is the run's own, the others the generators' in their order. */
  private final List<GeneratorLog.Writer> writers = new ArrayList<>();

  private volatile List<JobGenerator> generators = List.of();
  private volatile boolean arrivalsOver;

  Senders(GeneratorSettings settings, GeneratorLog log, GeneratorThreads threads) {
    this.settings = settings;
    this.log = log;
    this.threads = threads;
  }

  /** Opens the writers and lets them find the broker, so that the first jobs are not late. */
  void open(ProcessClock clock, Pacer pacer) throws InterruptedException {
    // This thread starts the producers' threads, which hold locks that the generators need, so that
    // they must run as promptly as the generators.
    pacer.awaitNs(clock.monotonicNs());
    for (int i = 0; i <= settings.generators(); i++) {
      GeneratorLog.Writer writer = log.openWriter();
      writers.add(writer);
      writer.findTopics();
    }
    ArrivalList requests = settings.requests();
    for (int i = 0; i < Math.min(WARM_UP_JOBS, requests.size()); i++) {
      long atNs = requests.intendedAtNs(i);
      EventCodec.FACTS.write(requests.get(i, 0, atNs, atNs)); // loads and compiles
    }
  }

  void write(RunRecord entry) throws RunFailedException, InterruptedException {
    await(writers.get(0).append(entry));
  }

  /** Tells all shards of the run's beginning, except shards whose facts contain it. */
  void tellShards(RunStarted started, RunSoFar soFar)
      throws RunFailedException, InterruptedException {
    var writes = new ArrayList<Future<?>>();
    for (int shard = 0; shard < settings.shards(); shard++) {
      if (!soFar.started(shard)) {
        writes.add(writers.get(0).append(shard, started, this::failed));
      }
    }
    for (Future<?> write : writes) {
      await(write);
    }
  }

  /**
   * Makes the generators. In a run that has begun, they count jobs that were sent earlier as their
   * own, and go on at the present time. Where the arrivals have ended, no job of the tail was due
   * any more.
   *
   * @return the indexes of the jobs that will never be sent
   */
  BitSet makeGenerators(RunSoFar soFar, RunClock runClock, Pacer pacer) {
    int count = settings.generators();
    List<JobGenerator> made =
        IntStream.range(0, count)
            .mapToObj(g -> new JobGenerator(g, count, settings.requests(), runClock, pacer))
            .toList();
    if (soFar.started() != null) {
      soFar.sentAtNs().forEach((index, atNs) -> made.get(index % count).sentBefore(index, atNs));
      soFar.sentAtNs().clear(); // a long run need not hold them
      long nowNs = runClock.nowNs();
      long fromNs = soFar.arrivalsEnded() ? Math.min(nowNs, settings.durationNs()) : nowNs;
      made.forEach(generator -> generator.goOnAt(fromNs));
    }
    generators = made;
    var passedOver = new BitSet();
    made.forEach(generator -> passedOver.or(generator.passedOver()));
    return passedOver;
  }

  void start() {
    for (JobGenerator generator : generators) {
      threads.start("generator-" + generator.number(), () -> sendAll(generator));
    }
  }

  private void sendAll(JobGenerator generator) {
    GeneratorLog.Writer writer = writerOf(generator);
    try {
      BooleanSupplier over = () -> arrivalsOver || failure.get() != null;
      ObjIntConsumer<Fact> send =
          (request, index) -> {
            var unused = writer.append(settings.shardOf(index), request, this::failed);
          };
      if (settings.oneAtATime()) {
        try (var outcomes = log.openOutcomesAtOnce()) {
          generator.sendOneAtATime(over, send, outcomes, settings.durationNs());
        }
      } else {
        generator.sendAll(over, send);
      }
      writer.flush();
    } catch (InterruptedException | RuntimeException | Error e) {
      failed(e);
    }
  }

  private void failed(Throwable cause) {
    failure.compareAndSet(null, cause);
  }

  boolean listSent() {
    return threads.allEnded();
  }

  void failIfSendFailed() throws RunFailedException {
    Throwable cause = failure.get();
    if (cause != null) {
      throw new RunFailedException("a generator could not send: " + cause.getMessage(), cause);
    }
  }

  void endArrivals() {
    arrivalsOver = true;
  }

  void join() throws RunFailedException, InterruptedException {
    threads.join();
    failIfSendFailed();
  }

  BitSet sent() {
    var sent = new BitSet();
    generators.forEach(generator -> sent.or(generator.sent()));
    return sent;
  }

  /** Tells each shard for each generator, unless its facts say so already. */
  void writeArrivalsEnded(RunSoFar soFar) throws RunFailedException, InterruptedException {
    for (JobGenerator generator : generators) {
      BitSet sent = generator.sent();
      for (int shard = 0; shard < settings.shards(); shard++) {
        int thisShard = shard;
        if (soFar.arrivalsEnded(generator.number(), shard)) {
          continue;
        }
        var ended =
            new ArrivalsEnded(
                generator.number(),
                sent.stream().filter(index -> settings.shardOf(index) == thisShard).count(),
                generator.lateness().p99Ns(),
                generator.lateness().maxNs(),
                log.clockOffsetNsMax());
        await(writerOf(generator).append(shard, ended, this::failed));
      }
    }
  }

  /** From any thread, at any time. */
  GeneratorNumbers numbers() {
    List<JobGenerator> all = generators;
    return new GeneratorNumbers(
        all.stream().mapToLong(JobGenerator::jobsSent).sum(),
        all.stream().mapToLong(JobGenerator::latenessNsNow).max().orElse(0),
        all.stream().mapToLong(JobGenerator::latenessNsMax).max().orElse(0),
        arrivalsOver);
  }

  /** Leaves no thread behind, even if interrupted or if a send cannot complete. */
  void close() {
    boolean interrupted = Thread.interrupted(); // closing a writer would give up at once
    arrivalsOver = true;
    for (GeneratorLog.Writer writer : writers) {
      try {
        writer.close();
      } catch (KafkaException e) { // this failure must not hide why the run ends
        LOG.warn("A producer did not close cleanly.", e);
        interrupted |= Thread.interrupted();
      }
    }
    while (!threads.allEnded()) {
      try {
        threads.join();
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  private GeneratorLog.Writer writerOf(JobGenerator generator) {
    return writers.get(generator.number() + 1);
  }

  private static void await(Future<?> write) throws RunFailedException, InterruptedException {
    try {
      write.get();
    } catch (ExecutionException e) {
      throw new RunFailedException("a record could not be written: " + e.getMessage(), e);
    }
  }

  /**
   * Threads of the generators, one each. The class is not final, so that a test can run the threads
   * in its own time.
   */
  static class GeneratorThreads {
    private final List<Thread> threads = new ArrayList<>();

    /** Starts a thread, which is scheduled as promptly as the calling thread; see {@code Pacer}. */
    void start(String name, Runnable task) {
      var thread = new Thread(task, name);
      threads.add(thread);
      thread.start();
    }

    boolean allEnded() {
      return threads.stream().noneMatch(Thread::isAlive);
    }

    void join() throws InterruptedException {
      for (Thread thread : threads) {
        thread.join();
      }
    }
  }
}
