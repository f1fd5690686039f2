package dev.sluice.cli;

import dev.sluice.contract.BatchCompleted;
import dev.sluice.contract.BatchDispatched;
import dev.sluice.contract.DispatchId;
import dev.sluice.contract.EventCodec;
import dev.sluice.contract.ExecutorReported;
import dev.sluice.contract.Fact;
import dev.sluice.contract.JobRequested;
import dev.sluice.contract.RunStarted;
import dev.sluice.contract.ShardTaken;
import dev.sluice.contract.Topics;
import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.stream.IntStream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/**
 * By hand, not in the build: two schedulers as processes under load; the one that decides is killed
 * again and again, and started again; each kill waits until the other stands by. Prints how long no
 * new decision was made after each kill, and fails where a dispatch id stands for two decisions or
 * a job was not dispatched. Arguments: kills, jobs per second, shards.
 */
final class TakeoverHarness {
  private static final String EXPERIMENT =
      """
      duration_seconds: 1
      arrival_rate_jobs_per_sec: 100
      workloads:
      - {name: short, alpha_ms: 1, beta_ms: 0, tokens: 1}
      backends_enabled: [onnx]
      batch_sizes: [1]
      microbatch: {enabled: false}
      resources: {enabled: false}
      lanes: {num_lanes: 16, kind: emulated}
      """;

  private final Topics topics = new Topics("takeover");
  private final Path folder;
  private final String bootstrap;
  private final int shards;
  private final long gapNs;
  private final KafkaProducer<byte[], byte[]> producer;
  private final KafkaConsumer<byte[], byte[]> consumer;
  private final Admin admin;
  private final List<Process> children = new ArrayList<>();
  private final List<String> instances = new ArrayList<>();
  private final Map<Integer, String> ownerByShard = new HashMap<>();
  private final Map<String, byte[]> seen = new HashMap<>();
  private final Map<Integer, DispatchId> highest = new HashMap<>();
  private final Map<Integer, Long> newestNs = new HashMap<>();
  private long sent;
  private long dispatched;
  private long repeated;
  private long dueNs = System.nanoTime();
  private long reportDueNs;
  private int started;

  private TakeoverHarness(Path folder, String bootstrap, int ratePerSecond, int shards) {
    this.folder = folder;
    this.bootstrap = bootstrap;
    this.shards = shards;
    this.gapNs = 1_000_000_000L / ratePerSecond;
    Map<String, Object> kafka = Map.of("bootstrap.servers", bootstrap);
    admin = Admin.create(kafka);
    var settings = new HashMap<>(kafka);
    settings.put("linger.ms", 0);
    producer = new KafkaProducer<>(settings, new ByteArraySerializer(), new ByteArraySerializer());
    consumer = new KafkaConsumer<>(kafka, new ByteArrayDeserializer(), new ByteArrayDeserializer());
  }

  public static void main(String[] args) throws Exception {
    Path folder = Files.createTempDirectory("takeover");
    try (var broker = EmbeddedBroker.start(folder.resolve("broker"))) {
      new TakeoverHarness(
              folder,
              broker.bootstrapServers(),
              Integer.parseInt(args[1]),
              Integer.parseInt(args[2]))
          .run(Integer.parseInt(args[0]));
    }
    System.exit(0);
  }

  private void run(int kills) throws Exception {
    Files.writeString(folder.resolve("e.yaml"), EXPERIMENT);
    RunTopics.create(topics, shards, KafkaAccess.of("harness", bootstrap, null));
    List<TopicPartition> partitions = new ArrayList<>();
    IntStream.range(0, shards)
        .forEach(s -> partitions.add(new TopicPartition(topics.dispatches(), s)));
    partitions.add(new TopicPartition(topics.runs(), 0));
    consumer.assign(partitions);
    consumer.seekToBeginning(partitions);
    start(0);
    start(1);
    long zeroMs = System.currentTimeMillis();
    for (int s = 0; s < shards; s++) {
      send(s, report(s));
      send(s, new RunStarted("takeover", zeroMs, 1, "c", "r", shards, 1, null));
    }
    awaitStandby();
    List<Long> gapsMs = new ArrayList<>();
    for (int kill = 0; kill < kills; kill++) {
      int shard = kill % shards;
      int victim = instances.indexOf(ownerByShard.get(shard));
      children.get(victim).destroyForcibly().waitFor();
      long killedNs = System.nanoTime();
      loop(200_000_000L); // what was on its way
      long before = newestNs.get(shard);
      while (newestNs.get(shard) == before && System.nanoTime() - killedNs < 30_000_000_000L) {
        loop(5_000_000L);
      }
      long gapMs = (newestNs.get(shard) - killedNs) / 1_000_000;
      gapsMs.add(gapMs);
      System.out.println("kill " + kill + ": " + gapMs + " ms; repeated " + repeated);
      start(victim);
      awaitStandby();
    }
    loop(3_000_000_000L);
    System.out.println(
        "sent " + sent + ", dispatched " + dispatched + ", repeated equally " + repeated);
    System.out.println("gaps ms " + gapsMs.stream().sorted().toList());
    children.forEach(Process::destroyForcibly);
    if (dispatched < sent - 50) {
      throw new AssertionError("jobs without a dispatch: " + (sent - dispatched));
    }
  }

  /** Goes on until both are in the group, and then so long that the state is behind no longer. */
  private void awaitStandby() throws Exception {
    String group = topics.prefix() + ".scheduler";
    int members = 0;
    while (members < 2) {
      loop(500_000_000L);
      try {
        members =
            admin.describeConsumerGroups(List.of(group)).all().get().values().stream()
                .mapToInt(description -> description.members().size())
                .sum();
      } catch (ExecutionException e) {
        members = 0; // nobody has joined yet
      }
    }
    loop(5_000_000_000L);
  }

  private void start(int index) throws Exception {
    String instance = "schedule-" + started++;
    var builder =
        new ProcessBuilder(
            "java",
            "-XX:+UseZGC",
            "-XX:TieredStopAtLevel=1",
            "-cp",
            System.getProperty("java.class.path"),
            SchedulerChild.class.getName(),
            bootstrap,
            topics.prefix(),
            instance,
            folder.resolve("e.yaml").toString(),
            folder.resolve(instance).toString());
    builder.redirectErrorStream(true).redirectOutput(new File("target/" + instance + ".log"));
    Process child = builder.start();
    if (index < children.size()) {
      children.set(index, child);
      instances.set(index, instance);
    } else {
      children.add(child);
      instances.add(instance);
    }
  }

  private void loop(long forNs) throws Exception {
    long untilNs = System.nanoTime() + forNs;
    while (System.nanoTime() < untilNs) {
      long nowNs = System.nanoTime();
      if (nowNs > reportDueNs) {
        reportDueNs = nowNs + 200_000_000L;
        for (int s = 0; s < shards; s++) {
          send(s, report(s));
        }
      }
      while (dueNs <= nowNs) {
        dueNs += gapNs;
        send((int) (sent % shards), job(sent));
        sent++;
      }
      for (ConsumerRecord<byte[], byte[]> record : consumer.poll(Duration.ofMillis(2))) {
        take(record);
      }
    }
  }

  private void take(ConsumerRecord<byte[], byte[]> record) throws Exception {
    if (record.topic().equals(topics.runs())) {
      if (EventCodec.RUNS.read(record.value()) instanceof ShardTaken taken) {
        ownerByShard.put(taken.shard(), taken.instance());
        System.out.println("  " + taken);
      }
      return;
    }
    BatchDispatched dispatch = EventCodec.DISPATCHES.read(record.value());
    int shard = record.partition();
    byte[] earlier = seen.put(shard + "/" + dispatch.dispatchId(), record.value());
    if (earlier != null) {
      repeated++;
      if (!Arrays.equals(earlier, record.value())) {
        throw new AssertionError(EventCodec.DISPATCHES.read(earlier) + " is now " + dispatch);
      }
      return;
    }
    DispatchId before = highest.get(shard);
    if (before != null && dispatch.dispatchId().compareTo(before) <= 0) {
      throw new AssertionError("a lower id later: " + dispatch);
    }
    highest.put(shard, dispatch.dispatchId());
    newestNs.put(shard, System.nanoTime());
    dispatched += dispatch.jobs().size();
    send(
        shard,
        new BatchCompleted(
            dispatch.dispatchId(),
            dispatch.executorId(),
            dispatch.incarnation(),
            dispatch.lanes().get(0),
            1L,
            2L,
            1_000_000,
            0,
            BatchCompleted.Result.DONE,
            null,
            List.of(),
            1_000_000L,
            1));
  }

  private void send(int shard, Fact fact) {
    var unused =
        producer.send(
            new ProducerRecord<>(topics.facts(), shard, null, EventCodec.FACTS.write(fact)));
  }

  private static JobRequested job(long index) {
    return new JobRequested(
        "job-" + index, 0, index, "batch", "short", "onnx", "fp32", 1, 1_000_000_000L, 0, 0);
  }

  private static ExecutorReported report(int shard) {
    return new ExecutorReported(
        "executor-" + shard,
        1,
        false,
        "emulated-linear",
        null,
        IntStream.range(0, 16)
            .mapToObj(lane -> new ExecutorReported.Lane(lane, List.of()))
            .toList(),
        List.of(
            new ExecutorReported.Capability(
                "short", "onnx", "fp32", 1, List.of(new ExecutorReported.WarmUp(1, 1_000_000)))),
        0,
        null);
  }
}
