package dev.sluice.cli;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.contract.event.RunStarted;
import dev.sluice.contract.event.ShardTaken;
import dev.sluice.contract.experiment.Experiment;
import dev.sluice.contract.experiment.ExperimentFile;
import dev.sluice.contract.log.EventCodec;
import dev.sluice.contract.log.LogClients;
import dev.sluice.contract.log.ProcessClock;
import dev.sluice.contract.log.RunTopics;
import dev.sluice.contract.log.Topics;
import dev.sluice.harness.frame.Registries;
import dev.sluice.harness.kafka.KafkaAccess;
import dev.sluice.scheduler.topology.ExperimentCore;
import dev.sluice.scheduler.topology.SchedulerStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Predicate;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Schedulers of one run on a real broker: who has which shard, and what a dead one leaves. */
@Tag("loop")
final class SeveralSchedulersTest {
  private static final Duration LIMIT = Duration.ofSeconds(300);

  @TempDir private static Path folder;

  private static Map<String, Object> kafka;
  private static Experiment experiment;

  private final List<AutoCloseable> opened = new ArrayList<>();
  private final Map<Integer, ShardTaken> lastTaken = new TreeMap<>();
  private final List<Throwable> failures = new CopyOnWriteArrayList<>();

  @BeforeAll
  static void start() throws Exception {
    kafka = Map.of("bootstrap.servers", SharedBroker.get().bootstrapServers());
    Path file = Files.writeString(folder.resolve("tiny.yaml"), Loop.EMULATED);
    experiment = ExperimentFile.read(file, List.of(), Registries.vocabulary()).experiment();
  }

  @AfterEach
  void close() throws Exception {
    for (AutoCloseable part : opened) {
      part.close();
    }
    assertThat(failures).isEmpty();
  }

  @Test
  void haveAShardEach_orStandBy_andTakeOverFromOneThatLeaves() throws Exception {
    var topics = topics("two-shards", 2);
    var runs = reader(topics.runs(), "read_uncommitted");
    var first = scheduler(topics, "schedule-1");
    await(runs, taken -> taken.size() == 2);

    scheduler(topics, "schedule-2");
    Map<Integer, ShardTaken> shared =
        await(runs, taken -> taken.values().stream().anyMatch(t -> isBy(t, "schedule-2")));
    assertThat(shared.values()).extracting(ShardTaken::instance).contains("schedule-1");
    assertThat(shared.values())
        .extracting(ShardTaken::transactionalId)
        .doesNotContainNull()
        .doesNotHaveDuplicates();

    first.close();
    await(runs, taken -> taken.values().stream().allMatch(t -> isBy(t, "schedule-2")));
    assertThat(first.counts().shards()).isZero();
  }

  @Test
  void leaveAShardWhereItIs_whenOneMoreJoins() throws Exception {
    var topics = topics("one-shard", 1);
    var runs = reader(topics.runs(), "read_uncommitted");
    var owner = scheduler(topics, "schedule-1");
    await(runs, taken -> taken.size() == 1);

    for (String instance : List.of("schedule-0", "schedule-2")) {
      assertThat(scheduler(topics, instance).awaitRunning(LIMIT)).isTrue();
    }
    assertThat(owner.counts().shards()).isEqualTo(1);
    assertThat(runs.poll(Duration.ofSeconds(1))).isEmpty();
  }

  @Test
  void fenceADeadOne_soThatItsTransactionHoldsNobodyBack() throws Exception {
    var topics = topics("dead", 1);
    try (var dead = transactional("dead-1");
        var living = transactional("living-1")) {
      for (var producer : List.of(dead, living)) {
        producer.initTransactions();
        producer.beginTransaction();
        producer.send(new ProducerRecord<>(topics.deadLetters(), 0, null, new byte[1])).get();
      }
      var outcome = new ProducerRecord<byte[], byte[]>(topics.outcomes(), 0, null, new byte[1]);
      dead.send(outcome).get();
      write(topics, new ShardTaken(0, "schedule-other", "living-1"));
      write(topics, new ShardTaken(0, "schedule-dead", "dead-1"));

      scheduler(topics, "schedule-1");
      awaitStableEnd(topics.outcomes());
      assertThatThrownBy(dead::commitTransaction).isInstanceOf(KafkaException.class);
      living.commitTransaction(); // only the shard's last owner is fenced
    }
  }

  private static boolean isBy(ShardTaken taken, String instance) {
    return taken.instance().equals(instance);
  }

  private Topics topics(String prefix, int shards) throws Exception {
    var topics = new Topics(prefix);
    String bootstrap = String.valueOf(kafka.get("bootstrap.servers"));
    RunTopics.create(topics, shards, KafkaAccess.of("test", bootstrap, null).clients());
    try (var producer = producer(Map.of())) {
      var run = new RunStarted(prefix, 0, 1, "c", "r", shards, 1, null);
      for (int shard = 0; shard < shards; shard++) {
        producer
            .send(new ProducerRecord<>(topics.facts(), shard, null, EventCodec.FACTS.write(run)))
            .get();
      }
    }
    return topics;
  }

  private SchedulerStream scheduler(Topics topics, String instance) throws Exception {
    var scheduler =
        new SchedulerStream(
            ExperimentCore.settings(experiment),
            ExperimentCore.policies(experiment),
            topics,
            LogClients.of(kafka),
            instance,
            folder.resolve(topics.prefix() + instance),
            new ProcessClock(InstantSource.system(), System::nanoTime),
            failures::add);
    opened.add(scheduler);
    scheduler.start();
    return scheduler;
  }

  private KafkaProducer<byte[], byte[]> transactional(String id) {
    return producer(Map.of("transactional.id", id));
  }

  private static KafkaProducer<byte[], byte[]> producer(Map<String, Object> more) {
    var settings = new TreeMap<>(kafka);
    settings.putAll(more);
    return new KafkaProducer<>(settings, new ByteArraySerializer(), new ByteArraySerializer());
  }

  private static void write(Topics topics, ShardTaken taken) throws Exception {
    try (var producer = producer(Map.of())) {
      producer
          .send(new ProducerRecord<>(topics.runs(), 0, null, EventCodec.RUNS.write(taken)))
          .get();
    }
  }

  private KafkaConsumer<byte[], byte[]> reader(String topic, String isolation) {
    var settings = new TreeMap<>(kafka);
    settings.put("isolation.level", isolation);
    var consumer =
        new KafkaConsumer<>(settings, new ByteArrayDeserializer(), new ByteArrayDeserializer());
    opened.add(0, consumer);
    var partition = new TopicPartition(topic, 0);
    consumer.assign(List.of(partition));
    consumer.seekToBeginning(List.of(partition));
    return consumer;
  }

  /** Waits until each shard's last owner is as wanted. */
  private Map<Integer, ShardTaken> await(
      KafkaConsumer<byte[], byte[]> runs, Predicate<Map<Integer, ShardTaken>> wanted)
      throws Exception {
    Instant limit = Instant.now().plus(LIMIT);
    while (!wanted.test(lastTaken)) {
      assertThat(Instant.now()).as("%s", lastTaken).isBefore(limit);
      for (var received : runs.poll(Duration.ofMillis(200))) {
        var taken = (ShardTaken) EventCodec.RUNS.read(received.value());
        lastTaken.put(taken.shard(), taken);
      }
    }
    return lastTaken;
  }

  /** Waits until no open transaction holds readers of the topic back. */
  private void awaitStableEnd(String topic) {
    var committed = reader(topic, "read_committed");
    var all = reader(topic, "read_uncommitted");
    var partition = new TopicPartition(topic, 0);
    Instant limit = Instant.now().plus(LIMIT);
    while (end(committed, partition) < end(all, partition)) {
      assertThat(Instant.now()).isBefore(limit);
      committed.poll(Duration.ofMillis(100));
    }
  }

  private static long end(KafkaConsumer<byte[], byte[]> consumer, TopicPartition partition) {
    return requireNonNull(consumer.endOffsets(List.of(partition)).get(partition));
  }
}
