package dev.sluice.producer.generator;

import dev.sluice.contract.event.ArrivalsEnded;
import dev.sluice.contract.event.Event;
import dev.sluice.contract.event.Fact;
import dev.sluice.contract.event.JobEnded;
import dev.sluice.contract.event.JobRequested;
import dev.sluice.contract.event.Outcome;
import dev.sluice.contract.event.RunRecord;
import dev.sluice.contract.log.EventCodec;
import dev.sluice.contract.log.ProcessClock;
import dev.sluice.contract.log.Reading;
import dev.sluice.contract.log.Topics;
import dev.sluice.contract.log.UnreadableEventException;
import dev.sluice.contract.log.Writing;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.function.ToLongFunction;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.MockConsumer;
import org.apache.kafka.clients.producer.Callback;
import org.apache.kafka.clients.producer.MockProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.PartitionInfo;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.InterruptException;
import org.jspecify.annotations.Nullable;

/**
 * A log in memory, in virtual time, with a simple scheduler: each job is done some time after it
 * was sent, or waits until the arrivals have ended and is dropped.
 */
final class FakeGeneratorLog {
  static final Topics TOPICS = new Topics("run-1");

  /** Lead of the broker's clock over the generators'. */
  static final long CLOCK_OFFSET_NS = 1_000_000;

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

  /** The log as generators see it, whose clock is a millisecond behind the broker's. */
  GeneratorLog open(GeneratorSettings settings, ProcessClock clock) {
    return new GeneratorLog(
        settings,
        reading -> new FakeConsumer(reading == Reading.AT_ONCE),
        (writing, lingerMs) -> new FakeProducer(writing == Writing.LAST_WORD && deaf, clock),
        clock);
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

  /** A consumer of all topics that it is assigned to, whose offsets count the records read. */
  private final class FakeConsumer extends MockConsumer<byte[], byte[]> {
    private final boolean ofGenerator;
    private final Set<Entry> read = Collections.newSetFromMap(new IdentityHashMap<>());
    private Collection<TopicPartition> assigned = List.of();

    /**
     * @param ofGenerator whether a generator's thread uses it, and it waits as that thread does
     */
    FakeConsumer(boolean ofGenerator) {
      super("earliest");
      this.ofGenerator = ofGenerator;
      openReaders++;
    }

    @Override
    public void assign(Collection<TopicPartition> partitions) {
      assigned = partitions;
    }

    @Override
    public void seekToBeginning(Collection<TopicPartition> partitions) {}

    @Override
    public Map<TopicPartition, Long> endOffsets(Collection<TopicPartition> partitions) {
      return partitions.stream().collect(Collectors.toMap(p -> p, p -> (long) readable(p).size()));
    }

    @Override
    public long position(TopicPartition partition) {
      return entries(partition).stream().filter(read::contains).count();
    }

    private List<Entry> entries(TopicPartition partition) {
      List<Entry> topic = partition.topic().equals(TOPICS.facts()) ? facts : outcomes;
      topic = partition.topic().equals(TOPICS.runs()) ? runs : topic;
      synchronized (FakeGeneratorLog.this) {
        return topic.stream().filter(entry -> entry.partition() == partition.partition()).toList();
      }
    }

    private List<Entry> readable(TopicPartition partition) {
      return entries(partition).stream().filter(entry -> entry.atNs() <= time.nowNs()).toList();
    }

    private long nextAtNs() {
      return assigned.stream()
          .flatMap(partition -> entries(partition).stream())
          .filter(entry -> !read.contains(entry))
          .mapToLong(Entry::atNs)
          .min()
          .orElse(Long.MAX_VALUE);
    }

    /** Waits for a readable entry. */
    private void await(long deadlineNs) throws InterruptedException {
      if (ofGenerator) {
        time.awaitNs(Math.min(deadlineNs, Math.max(time.nowNs(), nextAtNs())));
      } else {
        time.pass(
            () -> Math.min(deadlineNs, Math.max(time.nowNs(), nextAtNs())),
            () -> nextAtNs() <= time.nowNs());
      }
    }

    @Override
    public ConsumerRecords<byte[], byte[]> poll(Duration timeout) {
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
      Map<TopicPartition, List<ConsumerRecord<byte[], byte[]>>> records = new LinkedHashMap<>();
      for (TopicPartition partition : assigned) {
        for (Entry entry : readable(partition)) {
          if (read.add(entry)) {
            records
                .computeIfAbsent(partition, p -> new ArrayList<>())
                .add(
                    new ConsumerRecord<>(
                        partition.topic(), partition.partition(), 0, null, bytes(entry.event())));
          }
        }
      }
      return new ConsumerRecords<>(records, Map.of());
    }

    @Override
    public void close() {
      openReaders--;
    }
  }

  private static byte[] bytes(Event event) {
    if (event instanceof Fact fact) {
      return EventCodec.FACTS.write(fact);
    }
    return event instanceof RunRecord entry
        ? EventCodec.RUNS.write(entry)
        : EventCodec.OUTCOMES.write((Outcome) event);
  }

  private final class FakeProducer extends MockProducer<byte[], byte[]> {
    private final boolean refusing;
    private final ProcessClock clock;
    private boolean open = true;

    FakeProducer(boolean refusing, ProcessClock clock) {
      this.refusing = refusing;
      this.clock = clock;
      openWriters++;
    }

    @Override
    public List<PartitionInfo> partitionsFor(String topic) {
      return List.of();
    }

    @Override
    public Future<RecordMetadata> send(ProducerRecord<byte[], byte[]> entry) {
      if (refusing) {
        return CompletableFuture.failedFuture(new KafkaException("nobody listens"));
      }
      try {
        put(EventCodec.RUNS.read(entry.value()), time.nowNs());
      } catch (UnreadableEventException e) {
        throw new AssertionError(e);
      }
      return CompletableFuture.completedFuture(null);
    }

    @Override
    public Future<RecordMetadata> send(ProducerRecord<byte[], byte[]> entry, Callback callback) {
      Fact fact;
      try {
        fact = EventCodec.FACTS.read(entry.value());
      } catch (UnreadableEventException e) {
        throw new AssertionError(e);
      }
      if (refuses.test(fact)) {
        var failure = new KafkaException("refused");
        callback.onCompletion(null, failure);
        return CompletableFuture.failedFuture(failure);
      }
      synchronized (FakeGeneratorLog.this) {
        put(entry.partition(), fact, time.nowNs());
        schedule(entry.partition(), fact);
      }
      if (fact instanceof JobRequested job) {
        afterSending.accept(job);
      }
      var partition = new TopicPartition(entry.topic(), entry.partition());
      long appendedMs = clock.epochNs() / 1_000_000 + 1;
      var metadata = new RecordMetadata(partition, 0, 0, appendedMs, 0, 0);
      callback.onCompletion(metadata, null);
      return CompletableFuture.completedFuture(metadata);
    }

    @Override
    public void flush() {}

    @Override
    public void close() {
      openWriters -= open ? 1 : 0;
      open = false;
    }

    @Override
    public void close(Duration timeout) {
      close();
    }
  }
}
