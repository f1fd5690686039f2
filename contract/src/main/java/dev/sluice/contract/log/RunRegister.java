package dev.sluice.contract.log;

import dev.sluice.contract.event.RoleJoined;
import dev.sluice.contract.event.RoleJoined.Role;
import dev.sluice.contract.event.RoleLeft;
import dev.sluice.contract.event.RunEnded;
import dev.sluice.contract.event.RunRecord;
import dev.sluice.contract.event.RunStarted;
import dev.sluice.contract.event.ShardTaken;
import dev.sluice.contract.file.UserMistakeException;
import java.io.IOException;
import java.net.InetAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The register of a run, its topic {@code runs}, read from the beginning on a thread of its own:
 * who takes part, and when the run began and ended. The process makes its own entries through it.
 */
public final class RunRegister implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(RunRegister.class);
  private static final Duration POLL = Duration.ofMillis(100);
  private static final Duration CLOSE_LIMIT = Duration.ofSeconds(10);
  private static final Duration READ_LIMIT = Duration.ofSeconds(90);

  /**
   * Separator in an instance: before it a name, which a restarted executor keeps; after it a unique
   * part.
   */
  private static final String AT = "@";

  private static final AtomicLong ENTRIES_MADE = new AtomicLong();

  private final Topics topics;
  private final TopicPartition partition;
  private final KafkaConsumer<byte[], byte[]> consumer;
  private final KafkaProducer<byte[], byte[]> producer;
  private final ProcessClock clock;
  private final Consumer<Throwable> onFailure;
  private final Thread thread = new Thread(this::read, "sluice-register");
  private final CompletableFuture<RunStarted> started = new CompletableFuture<>();
  private final CompletableFuture<RunEnded> ended = new CompletableFuture<>();
  private volatile boolean closing;

  private final List<Entry> entries = new ArrayList<>();
  private long readTo;

  private record Entry(long offset, RunRecord record) {}

  private RunRegister(
      Topics topics, LogClients kafka, ProcessClock clock, Consumer<Throwable> onFailure) {
    this.topics = topics;
    this.clock = clock;
    this.onFailure = onFailure;
    partition = new TopicPartition(topics.runs(), 0);
    consumer = kafka.consumer(Reading.WITHOUT_GAP);
    producer = kafka.producer(Writing.SINGLE);
    thread.setDaemon(true);
  }

  /**
   * Opens the register, and reads the entries that it has already. The topic must exist.
   *
   * @param onFailure called when the topic cannot be read any more
   */
  public static RunRegister open(
      Topics topics, LogClients kafka, ProcessClock clock, Consumer<Throwable> onFailure)
      throws InterruptedException {
    var register = new RunRegister(topics, kafka, clock, onFailure);
    List<TopicPartition> only = List.of(register.partition);
    register.consumer.assign(only);
    register.consumer.seekToBeginning(only);
    long end = register.consumer.endOffsets(only).getOrDefault(register.partition, 0L);
    register.thread.start();
    if (!register.await(() -> register.readTo >= end, READ_LIMIT)) {
      register.close();
      throw new IllegalStateException("the topic " + topics.runs() + " could not be read");
    }
    return register;
  }

  /** The run's start, completed when the run begins. */
  public CompletableFuture<RunStarted> started() {
    return started;
  }

  /** The run's end, completed by the first record that says so. */
  public CompletableFuture<RunEnded> ended() {
    return ended;
  }

  /**
   * Enters a role of this process.
   *
   * @param name tells this process from others in the same role; an executor's id
   * @return the entry as it was written
   * @throws UserMistakeException if the run's first role was given another experiment
   */
  public RoleJoined join(Role role, String name, String configDigest, @Nullable Integer shard)
      throws UserMistakeException, InterruptedException {
    var joined = new RoleJoined(role, name + AT + unique(), configDigest, shard);
    enter(joined);
    return joined;
  }

  /** Returns the entry's offset once it is read back and the experiment is known to be the same. */
  private long enter(RoleJoined joined) throws UserMistakeException, InterruptedException {
    long offset = write(joined);
    if (!await(() -> readTo > offset, READ_LIMIT)) {
      throw new IllegalStateException("the topic " + topics.runs() + " could not be read");
    }
    String digest = digest();
    if (!digest.equals(joined.configDigest())) {
      leave(joined);
      throw new UserMistakeException(
          "--run-id",
          "the run (%s) began with another experiment: its digest is %.12s…, this role's %.12s…"
              .formatted(topics.prefix(), digest, joined.configDigest()),
          "another file, --set or version of Sluice was given to this role than to the first one;"
              + " all roles of a run need the same");
    }
    return offset;
  }

  /**
   * Enters an executor. An executor without a given shard takes the shard with the fewest
   * executors, by the order of this topic, so that executors that join at the same time spread over
   * all shards. An executor without a given id gets an id that no other executor of the run has
   * had.
   *
   * @param executorId the given id; null: none
   * @param shard the given shard; null: none
   */
  public RoleJoined joinExecutor(
      @Nullable String executorId, @Nullable Integer shard, String configDigest, int shards)
      throws UserMistakeException, InterruptedException {
    while (true) {
      Place place = place(Long.MAX_VALUE, shards, executorId, shard);
      var joined =
          new RoleJoined(Role.EXECUTE, place.executorId + AT + unique(), configDigest, place.shard);
      long offset = enter(joined);
      if (place(offset, shards, executorId, shard).equals(place)) {
        return joined;
      }
      leave(joined); // another came first
    }
  }

  private record Place(int shard, String executorId) {}

  /** The place of an executor that joins at an offset; a restarted executor keeps its shard. */
  private synchronized Place place(
      long offset, int shards, @Nullable String executorId, @Nullable Integer wantedShard) {
    Map<String, Integer> present = new LinkedHashMap<>();
    Set<String> known = new TreeSet<>();
    for (Entry entry : entries) {
      if (entry.offset >= offset) {
        break;
      }
      if (entry.record instanceof RoleJoined joined && joined.role() == Role.EXECUTE) {
        String name = nameOf(joined.instance());
        int shard = joined.shard() == null ? 0 : joined.shard();
        if (name.equals(executorId) && wantedShard == null) {
          return new Place(shard, name);
        }
        known.add(name);
        present.put(joined.instance(), shard);
      } else if (entry.record instanceof RoleLeft left) {
        present.remove(left.instance());
      }
    }
    int shard = wantedShard == null ? fewest(present.values(), shards) : wantedShard;
    if (executorId != null) {
      return new Place(shard, executorId);
    }
    int number = 0;
    while (known.contains("executor-" + shard + "-" + number)) {
      number++;
    }
    return new Place(shard, "executor-" + shard + "-" + number);
  }

  private static int fewest(Collection<Integer> present, int shards) {
    return IntStream.range(0, shards)
        .boxed()
        .min(Comparator.comparing(shard -> Collections.frequency(present, shard)))
        .orElseThrow();
  }

  /** The name in an instance; of an executor, its id. */
  public static String nameOf(String instance) {
    int at = instance.indexOf(AT);
    return at < 0 ? instance : instance.substring(0, at);
  }

  /**
   * The unique part of an entry: host, process, time and a counter, for two may be made in one
   * millisecond.
   */
  private String unique() {
    String host;
    try {
      host = InetAddress.getLocalHost().getHostName();
    } catch (IOException e) {
      host = "localhost";
    }
    long pid = ProcessHandle.current().pid();
    long epochMs = clock.epochNs() / 1_000_000;
    return host + "-" + pid + "-" + epochMs + "-" + ENTRIES_MADE.incrementAndGet();
  }

  /** Enters that a role of this process left; the role's last act. */
  public void leave(RoleJoined joined) throws InterruptedException {
    write(new RoleLeft(joined.role(), joined.instance()));
  }

  /** Writes a record, and waits until the broker has it; returns its offset. */
  long write(RunRecord record) throws InterruptedException {
    try {
      return producer
          .send(new ProducerRecord<>(topics.runs(), 0, null, EventCodec.RUNS.write(record)))
          .get()
          .offset();
    } catch (ExecutionException e) {
      throw new IllegalStateException("the topic " + topics.runs() + " takes no record", e);
    }
  }

  private synchronized String digest() {
    return records(RoleJoined.class).findFirst().orElseThrow().configDigest();
  }

  private <T extends RunRecord> Stream<T> records(Class<T> type) {
    return entries.stream().map(Entry::record).filter(type::isInstance).map(type::cast);
  }

  /** Shards that no scheduler has taken yet, or whose last one has left. */
  public synchronized List<Integer> shardsNotTaken(int shards) {
    return IntStream.range(0, shards)
        .filter(shard -> owner(shard).map(this::hasLeft).orElse(true))
        .boxed()
        .toList();
  }

  public synchronized Optional<String> owner(int shard) {
    return records(ShardTaken.class)
        .filter(taken -> taken.shard() == shard)
        .map(ShardTaken::instance)
        .reduce((earlier, later) -> later);
  }

  private boolean hasLeft(String instance) {
    return records(RoleLeft.class).anyMatch(left -> left.instance().equals(instance));
  }

  /**
   * Waits until all other processes have left.
   *
   * @return instances that have not left in time, because they were killed or hang
   */
  public Set<String> awaitOthersLeft(Set<String> own, Duration limit) throws InterruptedException {
    boolean unused = await(() -> present(own).isEmpty(), limit);
    return present(own);
  }

  public int presentCount() {
    return present(Set.of()).size();
  }

  private synchronized Set<String> present(Set<String> own) {
    Set<String> present = new LinkedHashSet<>();
    for (Entry entry : entries) {
      if (entry.record instanceof RoleJoined joined && !own.contains(joined.instance())) {
        String name = nameOf(joined.instance());
        if (joined.role() == Role.EXECUTE) {
          present.removeIf(instance -> nameOf(instance).equals(name)); // started again
        }
        present.add(joined.instance());
      } else if (entry.record instanceof RoleLeft left) {
        present.remove(left.instance());
      }
    }
    return present;
  }

  /** Waits until a condition on what was read holds; returns whether it does. */
  public synchronized boolean await(BooleanSupplier condition, Duration limit)
      throws InterruptedException {
    long deadlineNs = clock.monotonicNs() + limit.toNanos();
    while (!condition.getAsBoolean()) {
      long leftNs = deadlineNs - clock.monotonicNs();
      if (leftNs <= 0) {
        return false;
      }
      TimeUnit.NANOSECONDS.timedWait(this, Math.min(leftNs, POLL.toNanos()));
    }
    return true;
  }

  private void read() {
    try {
      while (!closing) {
        var records = consumer.poll(POLL);
        synchronized (this) {
          records.forEach(record -> take(record.offset(), record.value()));
          readTo = consumer.position(partition);
          notifyAll();
        }
      }
    } catch (RuntimeException | Error e) { // closing wakes the consumer up
      if (!closing) {
        onFailure.accept(e);
      }
    }
  }

  private void take(long offset, byte @Nullable [] bytes) {
    try {
      RunRecord record = EventCodec.RUNS.read(bytes == null ? new byte[0] : bytes);
      if (record instanceof RunStarted start) {
        started.complete(start);
      } else if (record instanceof RunEnded end) {
        ended.complete(end);
      } else {
        entries.add(new Entry(offset, record));
      }
    } catch (UnreadableEventException e) {
      LOG.warn("{} at {} is no event", topics.runs(), offset, e); // analytics keeps the bytes
    }
  }

  @Override
  public void close() {
    closing = true;
    consumer.wakeup();
    try {
      thread.join();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    consumer.close();
    producer.close(CLOSE_LIMIT);
  }
}
