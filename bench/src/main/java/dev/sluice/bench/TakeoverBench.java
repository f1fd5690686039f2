package dev.sluice.bench;

import dev.sluice.bench.chaos.ShardOwner;
import dev.sluice.contract.file.UserMistakeException;
import dev.sluice.contract.log.EventCodec;
import dev.sluice.contract.log.RunRegister;
import dev.sluice.contract.log.Topics;
import dev.sluice.contract.log.UnreadableEventException;
import dev.sluice.contract.value.DispatchId;
import dev.sluice.harness.kafka.KafkaAccess;
import dev.sluice.harness.machine.Console;
import dev.sluice.harness.machine.MachineClock;
import dev.sluice.harness.process.ChildProcess;
import dev.sluice.harness.process.Supervisor;
import dev.sluice.harness.run.ProcessesRun;
import dev.sluice.harness.run.RunSettings;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Time without a new decision after the scheduler was killed: each role as a process, one shard,
 * and a second scheduler that stands by. The scheduler that decides is killed (SIGKILL) again and
 * again, each time after the one killed before is back. A time counts from the kill to the append
 * of the first dispatch that had not been made before; the longest of {@value #KILLS} is the
 * reading.
 */
final class TakeoverBench implements Bench {
  private static final Logger LOG = LoggerFactory.getLogger(TakeoverBench.class);
  private static final int KILLS = 8;

  /** A plain goal: most of the time is Kafka's wait until it misses the killed process. */
  private static final Row ROW = Row.atMost("takeover_8_kills_max_s", "s", 4);

  private static final String LOAD =
      """
      tail_seconds: 5
      arrivals: constant
      arrival_rate_jobs_per_sec: 100
      classes:
        interactive: {slo_ms: 5000}
        batch: {slo_ms: 10000}
      workloads: [{name: steady, tokens: 1, alpha_ms: 5, beta_ms: 0}]
      backends_enabled: [onnx]
      batch_sizes: [1]
      resources: {enabled: false}
      microbatch: {enabled: false}
      lanes: {kind: emulated, num_lanes: 16}
      """;

  /** Load per kill: more than a kill and the way back take; it ends with the last kill anyway. */
  private static final int SECONDS_A_KILL = 60;

  /** Wait until the scheduler that stands by has all the state; a random time is added to it. */
  private static final long CALM_MS = 5_000;

  private static final int CALM_MS_SPAN = 2_000;

  /** Time by which the records that the killed scheduler had sent are appended. */
  private static final long ON_ITS_WAY_MS = 200;

  private static final Duration POLL = Duration.ofMillis(20);

  private final Path folder;
  private final Consumer<String> out;
  private int runs;

  /**
   * @param folder where files of the measurement go
   * @param out told all readings
   */
  TakeoverBench(Path folder, Consumer<String> out) {
    this.folder = folder;
    this.out = out;
  }

  @Override
  public String name() {
    return "takeover";
  }

  @Override
  public List<Row> rows() {
    return List.of(ROW);
  }

  @Override
  public Map<Row, Double> measure()
      throws IOException, InterruptedException, MeasurementFailedException {
    Files.createDirectories(folder);
    String runId = name() + "-" + ++runs;
    Path config = folder.resolve(name() + ".yaml");
    Files.writeString(config, "duration_seconds: " + SECONDS_A_KILL * (KILLS + 1) + "\n" + LOAD);
    Path output = folder.resolve(runId + ".out");
    var killing = new Killing(new Topics(runId));
    try (var print = new PrintStream(output.toFile(), StandardCharsets.UTF_8)) {
      var options =
          new RunSettings(
              config, List.of(), new RunSettings.Output(folder, false, false, null), runId);
      int unused = new ProcessesRun(options, new Console(print, false), killing).execute();
    } catch (UserMistakeException e) {
      throw new MeasurementFailedException("the run was refused: " + e.getMessage(), output);
    }
    List<Long> gapsMs = killing.gapsMs();
    if (gapsMs.size() < KILLS) {
      throw new MeasurementFailedException(
          "the run ended after " + gapsMs.size() + " of " + KILLS + " kills", output);
    }
    Collections.sort(gapsMs);
    out.accept(
        "  s without a decision: "
            + gapsMs.stream()
                .map(ms -> String.format(Locale.ROOT, "%.2f", ms / 1e3))
                .collect(Collectors.joining(" ")));
    return Map.of(ROW, gapsMs.get(gapsMs.size() - 1) / 1e3);
  }

  /** Kills beside the run, and ends its load with the last kill. */
  private static final class Killing implements ProcessesRun.Companion {
    private final Topics topics;
    private final Random random = new Random(42);
    private final CountDownLatch over = new CountDownLatch(1);
    private final List<Long> gapsMs = Collections.synchronizedList(new ArrayList<>());
    private @Nullable Thread thread;

    Killing(Topics topics) {
      this.topics = topics;
    }

    @Override
    public int restartsMax() {
      return Integer.MAX_VALUE;
    }

    @Override
    public boolean isShown() {
      return false;
    }

    @Override
    public void began(Supervisor children, KafkaAccess kafka) {
      var killer = new Thread(() -> killAll(children, kafka), "sluice-takeover");
      killer.setDaemon(true);
      thread = killer;
      killer.start();
    }

    @Override
    public void over(KafkaAccess kafka, Topics topics, Path folder) throws InterruptedException {
      over.countDown();
      if (thread != null) {
        thread.join();
      }
    }

    List<Long> gapsMs() {
      return new ArrayList<>(gapsMs);
    }

    private void killAll(Supervisor children, KafkaAccess kafka) {
      try {
        for (ChildProcess child : children.children()) {
          awaitJoined(children, child.name(), 0);
        }
        try (var register =
                RunRegister.open(
                    topics,
                    kafka.clients(),
                    MachineClock.process(),
                    e -> LOG.error("the register cannot be read", e));
            var dispatches = new Dispatches(kafka, topics)) {
          for (int kill = 0; kill < KILLS; kill++) {
            killOnce(children, register, dispatches);
          }
        }
        ChildProcess produce = children.child("produce");
        produce.expectEnd();
        produce.signal(ChildProcess.Signal.TERM);
      } catch (InterruptedException e) {
        LOG.info("no more kills: the run is over");
      } catch (RuntimeException e) {
        LOG.error("no more kills", e);
        children.killAll();
      }
    }

    private void killOnce(Supervisor children, RunRegister register, Dispatches dispatches)
        throws InterruptedException {
      if (over.await(CALM_MS + random.nextInt(CALM_MS_SPAN), TimeUnit.MILLISECONDS)) {
        throw new InterruptedException("the run is over");
      }
      ChildProcess victim = ShardOwner.of(children, register, 0).orElseThrow();
      long killedAtMs = MachineClock.epochMs();
      victim.process().destroyForcibly();
      gapsMs.add(dispatches.firstNewAfter(killedAtMs + ON_ITS_WAY_MS, over) - killedAtMs);
      awaitJoined(children, victim.name(), victim.restarts() + 1);
    }

    /** Waits until a role is up in its start number {@code restarts}, from 0. */
    private void awaitJoined(Supervisor children, String name, int restarts)
        throws InterruptedException {
      if (name.equals("broker")) {
        return; // the others could not join without it
      }
      while (children.child(name).restarts() < restarts || !children.child(name).isUp()) {
        if (over.await(50, TimeUnit.MILLISECONDS)) {
          throw new InterruptedException("the run is over");
        }
      }
    }
  }

  /** Reads a shard's dispatches, uncommitted ones too, as its executor does. */
  private static final class Dispatches implements AutoCloseable {
    private final KafkaConsumer<byte[], byte[]> consumer;
    private DispatchId highest = new DispatchId(0, 0);

    Dispatches(KafkaAccess kafka, Topics topics) {
      var only = List.of(new TopicPartition(topics.dispatches(), 0));
      consumer =
          new KafkaConsumer<>(
              kafka.clients().properties(),
              new ByteArrayDeserializer(),
              new ByteArrayDeserializer());
      consumer.assign(only);
      consumer.seekToBeginning(only);
    }

    /**
     * Waits for the first dispatch that is appended after that time and was not made before.
     *
     * @return when it was appended
     * @throws InterruptedException if the run is over before
     */
    long firstNewAfter(long epochMs, CountDownLatch over) throws InterruptedException {
      long found = 0;
      while (found == 0) {
        if (over.getCount() == 0) {
          throw new InterruptedException("the run is over");
        }
        for (ConsumerRecord<byte[], byte[]> entry : consumer.poll(POLL)) {
          DispatchId id = id(entry.value());
          if (id.compareTo(highest) > 0) {
            highest = id;
            found = found == 0 && entry.timestamp() > epochMs ? entry.timestamp() : found;
          }
        }
      }
      return found;
    }

    private static DispatchId id(byte[] dispatch) {
      try {
        return EventCodec.DISPATCHES.read(dispatch).dispatchId();
      } catch (UnreadableEventException e) {
        throw new IllegalStateException("the scheduler wrote what is no dispatch", e);
      }
    }

    @Override
    public void close() {
      consumer.close();
    }
  }
}
