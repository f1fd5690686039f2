package dev.sluice.scheduler.topology;

import dev.sluice.contract.event.ShardTaken;
import dev.sluice.contract.log.EventCodec;
import dev.sluice.contract.log.LogClients;
import dev.sluice.contract.log.ProcessClock;
import dev.sluice.contract.log.Topics;
import dev.sluice.contract.log.Writing;
import dev.sluice.scheduler.topology.SchedulerProcessor.FactLog;
import dev.sluice.scheduler.topology.SchedulerProcessor.WakeUps;
import dev.sluice.scheduling.core.SchedulingCore;
import dev.sluice.scheduling.driver.CoreSettings;
import dev.sluice.scheduling.policy.SchedulingPolicy;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.serialization.Serializer;
import org.apache.kafka.streams.CloseOptions;
import org.apache.kafka.streams.KafkaStreams;
import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.processor.StreamPartitioner;
import org.apache.kafka.streams.processor.internals.DefaultKafkaClientSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The scheduler's role: runs the topology, and the timer that wakes it, until closed.
 *
 * <p>Several schedulers, each in its own process, share the shards of a run; a scheduler without a
 * shard stands by with a copy of another's state. When a scheduler dies, another decides for its
 * shards within about two seconds, with equal dispatches for equal facts. A broker may be away for
 * a minute.
 */
public final class SchedulerStream implements AutoCloseable {
  static final String FACTS = "facts";
  static final String SCHEDULER = "scheduler";
  static final String STORE = "state";
  static final String DISPATCHES = "dispatches";
  static final String OUTCOMES = "outcomes";
  static final String DEAD_LETTERS = "dead-letters";

  /** The key carries the shard to the sinks only, and is not written to topics. */
  private static final Serializer<Integer> NO_KEY = (topic, shard) -> null;

  private static final StreamPartitioner<Integer, byte[]> BY_SHARD =
      (topic, shard, value, partitions) -> Optional.of(Set.of(shard));

  private static final Duration CLOSE_MAX = Duration.ofSeconds(10);
  private static final Duration THREAD_PAUSE = Duration.ofMillis(500);

  private final KafkaProducer<byte[], byte[]> producer;
  private final OwnShards shards;
  private final TickTimer timer;
  private final DeadSchedulers deadSchedulers;
  private final ThreadFailures failures;
  private final CommitWatch commits;
  private final KafkaStreams streams;
  private final CountDownLatch running = new CountDownLatch(1);

  /**
   * Counts of a scheduler's work since it was made, including what was read or decided again, and
   * of its shards, waiting jobs and running batches now.
   */
  public record Counts(
      int shards, long factsApplied, long dispatches, long outcomes, int waiting, int running) {}

  /**
   * Prepares the role; {@link #start} begins.
   *
   * @param settings settings of the core with leases, whose heartbeat is also that of the ticks
   * @param policies makes one for each shard
   * @param instance unique among the run's processes, also after a restart
   * @param stateFolder folder for the files of Kafka Streams, used by this process alone
   * @param onFailure receives the failure that ends the role before it is closed, from any thread
   * @throws org.apache.kafka.common.KafkaException if the broker is out of reach
   */
  public SchedulerStream(
      CoreSettings settings,
      Supplier<SchedulingPolicy> policies,
      Topics topics,
      LogClients kafka,
      String instance,
      Path stateFolder,
      ProcessClock clock,
      Consumer<Throwable> onFailure)
      throws InterruptedException {
    String group = topics.prefix() + ".scheduler";
    commits = new CommitWatch(clock, this::ownsShards, onFailure);
    var clients = new TopologyClients(commits::committed);
    Properties properties = StreamsProperties.of(kafka, group, instance, stateFolder);
    producer = kafka.producer(Writing.SINGLE, ThreadFailures.LIMIT);
    int heartbeatMs = Math.toIntExact(settings.leases().heartbeatNs() / 1_000_000);
    timer = new TickTimer(topics, producer, clock, heartbeatMs, onFailure);
    shards =
        new OwnShards(
            shard ->
                write(
                    topics, new ShardTaken(shard, instance, clients.transactionalId()), onFailure),
            commits::applied);
    deadSchedulers = new DeadSchedulers(topics, kafka, group, instance, clients::transactionalId);
    failures = new ThreadFailures(clock, THREAD_PAUSE, onFailure);
    streams =
        new KafkaStreams(
            topology(
                topics,
                settings,
                policies,
                timer,
                shards,
                new TopicFactLog(topics, kafka),
                SnapshotStore.Pace.DEFAULT),
            properties,
            clients);
    streams.setUncaughtExceptionHandler(failures);
    streams.setStateListener(
        (now, before) -> {
          deadSchedulers.assigning(now == KafkaStreams.State.REBALANCING);
          if (now == KafkaStreams.State.RUNNING) {
            running.countDown();
          }
        });
  }

  /**
   * Builds the one topology, {@code facts} in, {@code dispatches} and {@code outcomes} out, with a
   * policy for each shard, and facts to be read again at a takeover.
   */
  static Topology topology(
      Topics topics,
      CoreSettings settings,
      Supplier<SchedulingPolicy> policies,
      WakeUps wakeUps,
      OwnShards shards,
      FactLog facts,
      SnapshotStore.Pace pace) {
    var bytes = new ByteArraySerializer();
    return new Topology()
        .addSource(FACTS, new ByteArrayDeserializer(), new ByteArrayDeserializer(), topics.facts())
        .addProcessor(
            SCHEDULER,
            () ->
                new SchedulerProcessor(
                    entities -> SchedulingCore.restore(settings, policies.get(), entities),
                    wakeUps,
                    shards,
                    facts),
            FACTS)
        .addStateStore(SnapshotStore.builder(STORE, pace), SCHEDULER)
        .addSink(DISPATCHES, topics.dispatches(), NO_KEY, bytes, BY_SHARD, SCHEDULER)
        .addSink(OUTCOMES, topics.outcomes(), NO_KEY, bytes, BY_SHARD, SCHEDULER)
        .addSink(DEAD_LETTERS, topics.deadLetters(), NO_KEY, bytes, SCHEDULER);
  }

  private boolean ownsShards() {
    return streams.metadataForLocalThreads().stream().anyMatch(t -> !t.activeTasks().isEmpty());
  }

  private void write(Topics topics, ShardTaken taken, Consumer<Throwable> onFailure) {
    var unused =
        producer.send(
            new ProducerRecord<>(topics.runs(), 0, null, EventCodec.RUNS.write(taken)),
            (metadata, error) -> {
              if (error != null) {
                onFailure.accept(error);
              }
            });
  }

  public void start() {
    timer.start();
    deadSchedulers.start();
    commits.start();
    streams.start();
  }

  /** Waits, and returns whether the topology runs within the time given. */
  public boolean awaitRunning(Duration timeout) throws InterruptedException {
    return running.await(timeout.toMillis(), TimeUnit.MILLISECONDS);
  }

  /** Counts of the work so far; from any thread. */
  public Counts counts() {
    return shards.counts();
  }

  /**
   * Commits the decisions so far, and leaves the group at once, so that another scheduler can take
   * the shards.
   */
  @Override
  public void close() {
    failures.close();
    commits.close();
    streams.close(
        CloseOptions.groupMembershipOperation(CloseOptions.GroupMembershipOperation.LEAVE_GROUP)
            .withTimeout(CLOSE_MAX));
    deadSchedulers.close();
    timer.close();
    producer.close(CLOSE_MAX);
  }

  /**
   * Makes the clients of Kafka Streams, and learns from them what Kafka Streams does not expose:
   * the transactional id of its one thread, which is new for each start and each replaced thread,
   * and the moment at which a transaction was committed.
   */
  private static final class TopologyClients extends DefaultKafkaClientSupplier {
    private final Runnable onCommitted;
    private volatile @Nullable String transactionalId;

    TopologyClients(Runnable onCommitted) {
      this.onCommitted = onCommitted;
    }

    /** Returns the transactional id of the newest thread; null before the first. */
    @Nullable String transactionalId() {
      return transactionalId;
    }

    @Override
    public Producer<byte[], byte[]> getProducer(Map<String, Object> config) {
      if (config.get(ProducerConfig.TRANSACTIONAL_ID_CONFIG) instanceof String id) {
        transactionalId = id;
      }
      return new KafkaProducer<>(config, new ByteArraySerializer(), new ByteArraySerializer()) {
        @Override
        public void commitTransaction() {
          super.commitTransaction();
          onCommitted.run();
        }
      };
    }
  }
}
