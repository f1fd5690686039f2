package dev.sluice.producer.generator;

import dev.sluice.contract.event.ArrivalsEnded;
import dev.sluice.contract.event.Event;
import dev.sluice.contract.event.Fact;
import dev.sluice.contract.event.JobEnded;
import dev.sluice.contract.event.JobRequested;
import dev.sluice.contract.event.Outcome;
import dev.sluice.contract.event.RunEnded;
import dev.sluice.contract.event.RunRecord;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.function.ToLongFunction;
import java.util.stream.Stream;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.InterruptException;
import org.jspecify.annotations.Nullable;

/**
 * A log in memory, in virtual time, with a simple scheduler: each job is done some time after it
 * was sent, or waits until the arrivals have ended and is dropped.
 */
final class FakeGeneratorLog implements GeneratorLog {
  /** Duration of a job that waits until the arrivals have ended. */
  static final long WAITS = Long.MAX_VALUE;

  final List<Entry> facts = new ArrayList<>();
  final List<Entry> runs = new ArrayList<>();
  final List<Entry> outcomes = new ArrayList<>();

  /** Time from a job's sending to its end. */
  ToLongFunction<JobRequested> doneAfterNs = job -> 5_000_000;

  /** Events that the broker refuses to write. */
  Predicate<Fact> refuses = fact -> false;

  /** Action after a job was sent, before its generator goes on. */
  Consumer<JobRequested> afterSending = job -> {};

  /** Time from which each call that reads finds its thread interrupted. */
  long interruptedAtNs = Long.MAX_VALUE;

  /** Time from which the broker fails each call that reads. */
  long brokenAtNs = Long.MAX_VALUE;

  /** Whether the broker refuses the record on why a run was given up. */
  boolean deaf;

  int openReaders;
  int openWriters;

  private final VirtualTime time;
  private final int shards;

  /** Number of generators, after whose ends the waiting jobs are dropped. */
  int generators;

  private final List<JobRequested> waiting = new ArrayList<>();
  private final List<ArrivalsEnded> ends = new ArrayList<>();

  /** An event, and the time from which it can be read. */
  record Entry(int partition, Event event, long atNs) {}

  FakeGeneratorLog(VirtualTime time, int shards, int generators) {
    this.time = time;
    this.shards = shards;
    this.generators = generators;
  }

  /** Writes a fact in the name of another role. */
  void put(int shard, Fact fact, long atNs) {
    facts.add(new Entry(shard, fact, atNs));
  }

  /** Writes a record of the run in the name of another role. */
  void put(RunRecord entry, long atNs) {
    runs.add(new Entry(0, entry, atNs));
  }

  /** Returns the facts of a type in a shard, in order. */
  synchronized <T extends Fact> List<T> facts(Class<T> type, int shard) {
    return facts.stream()
        .filter(entry -> entry.partition() == shard)
        .map(Entry::event)
        .filter(type::isInstance)
        .map(type::cast)
        .toList();
  }

  /** Returns the facts of a type in all shards. */
  <T extends Fact> List<T> facts(Class<T> type) {
    return Stream.iterate(0, shard -> shard + 1)
        .limit(shards)
        .flatMap(shard -> facts(type, shard).stream())
        .toList();
  }

  /** Returns the run's records of a type. */
  <T extends RunRecord> List<T> runs(Class<T> type) {
    return runs.stream().map(Entry::event).filter(type::isInstance).map(type::cast).toList();
  }

  @Override
  public Reader<RunRecord> openRuns() {
    return new FakeReader<>(RunRecord.class, List.of(runs));
  }

  @Override
  public Reader<Fact> openFacts() {
    return new FakeReader<>(Fact.class, List.of(facts));
  }

  @Override
  public Reader<Event> openOutcomesAndRuns() {
    return new FakeReader<>(Event.class, List.of(outcomes, runs));
  }

  /** Opens a reader that a generator's thread uses, and that waits as that thread does. */
  @Override
  public Reader<Outcome> openOutcomesAtOnce() {
    return new FakeReader<>(Outcome.class, List.of(outcomes)) {
      @Override
      void await(long deadlineNs) throws InterruptedException {
        time.awaitNs(Math.min(deadlineNs, Math.max(time.nowNs(), nextAtNs())));
      }
    };
  }

  @Override
  public Writer openWriter() {
    openWriters++;
    return new FakeWriter();
  }

  @Override
  public void writeLastWord(RunEnded ended, Duration limit) throws ExecutionException {
    if (deaf) {
      throw new ExecutionException(new KafkaException("nobody listens"));
    }
    put(ended, time.nowNs());
  }

  @Override
  public long clockOffsetNsMax() {
    return 7;
  }

  private synchronized void schedule(int shard, Fact fact) {
    if (fact instanceof JobRequested job) {
      long doneAfter = doneAfterNs.applyAsLong(job);
      if (doneAfter == WAITS) {
        waiting.add(job);
      } else {
        end(shard, job, JobEnded.Status.DONE, null, time.nowNs() + doneAfter);
      }
    } else if (fact instanceof ArrivalsEnded end) {
      ends.add(end);
      if (ends.size() == shards * generators) {
        waiting.forEach(
            job ->
                end(
                    (int) (job.index() % shards),
                    job,
                    JobEnded.Status.DROPPED,
                    "run_ended",
                    time.nowNs()));
      }
    }
  }

  private void end(
      int shard, JobRequested job, JobEnded.Status status, @Nullable String reason, long atNs) {
    var ended = new JobEnded(job.jobId(), status, reason, null, 1, atNs);
    outcomes.add(new Entry(shard, ended, atNs));
  }

  private class FakeReader<E extends Event> implements Reader<E> {
    private final Class<E> type;
    private final List<List<Entry>> topics;
    private final Set<Entry> read = Collections.newSetFromMap(new IdentityHashMap<>());
    private final List<Entry> stood;

    FakeReader(Class<E> type, List<List<Entry>> topics) {
      this.type = type;
      this.topics = topics;
      this.stood = readable();
      openReaders++;
    }

    private List<Entry> readable() {
      synchronized (FakeGeneratorLog.this) {
        return topics.stream()
            .flatMap(List::stream)
            .filter(entry -> entry.atNs() <= time.nowNs())
            .toList();
      }
    }

    long nextAtNs() {
      synchronized (FakeGeneratorLog.this) {
        return topics.stream()
            .flatMap(List::stream)
            .filter(entry -> !read.contains(entry))
            .mapToLong(Entry::atNs)
            .min()
            .orElse(Long.MAX_VALUE);
      }
    }

    /** Waits for a readable entry. */
    void await(long deadlineNs) throws InterruptedException {
      time.pass(
          () -> Math.min(deadlineNs, Math.max(time.nowNs(), nextAtNs())),
          () -> nextAtNs() <= time.nowNs());
    }

    @Override
    public void poll(Duration timeout, Sink<? super E> sink) {
      try {
        await(time.nowNs() + timeout.toNanos());
      } catch (InterruptedException e) {
        throw new InterruptException(e);
      }
      if (time.nowNs() >= interruptedAtNs) {
        throw new InterruptException("killed");
      }
      if (time.nowNs() >= brokenAtNs) {
        throw new KafkaException("the broker is gone");
      }
      for (Entry entry : readable()) {
        if (!read.contains(entry)) {
          read.add(entry);
          sink.take(entry.partition(), type.cast(entry.event()));
        }
      }
    }

    @Override
    public boolean hasReadWhatStood() {
      return read.containsAll(stood);
    }

    @Override
    public void close() {
      openReaders--;
    }
  }

  private final class FakeWriter implements Writer {
    private boolean open = true;

    @Override
    public void findTopics() {}

    @Override
    public Future<?> append(RunRecord entry) {
      put(entry, time.nowNs());
      return CompletableFuture.completedFuture(null);
    }

    @Override
    public Future<?> append(int shard, Fact fact, Consumer<Throwable> onFailure) {
      if (refuses.test(fact)) {
        var failure = new KafkaException("refused");
        onFailure.accept(failure);
        return CompletableFuture.failedFuture(failure);
      }
      synchronized (FakeGeneratorLog.this) {
        put(shard, fact, time.nowNs());
        schedule(shard, fact);
      }
      if (fact instanceof JobRequested job) {
        afterSending.accept(job);
      }
      return CompletableFuture.completedFuture(null);
    }

    @Override
    public void flush() {}

    @Override
    public void close() {
      openWriters -= open ? 1 : 0;
      open = false;
    }
  }
}
