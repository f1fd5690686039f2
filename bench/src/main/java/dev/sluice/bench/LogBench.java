package dev.sluice.bench;

import dev.sluice.analytics.folder.FolderFiles;
import dev.sluice.analytics.log.EventLogReader;
import dev.sluice.analytics.log.RunRecording;
import dev.sluice.analytics.log.SecondReading;
import dev.sluice.contract.event.RunDescribed;
import dev.sluice.contract.event.RunStarted;
import dev.sluice.contract.file.UserMistakeException;
import dev.sluice.contract.log.LogClients;
import dev.sluice.contract.log.Reading;
import dev.sluice.contract.log.RecordedEntry;
import dev.sluice.contract.log.RecordingHeader;
import dev.sluice.contract.log.RecordingReader;
import dev.sluice.contract.log.RunTopics;
import dev.sluice.contract.log.Topics;
import dev.sluice.contract.log.Writing;
import dev.sluice.harness.kafka.EmbeddedBroker;
import dev.sluice.harness.machine.MachineClock;
import dev.sluice.harness.process.TemporaryFolder;
import dev.sluice.harness.replay.Recorder;
import dev.sluice.harness.simulate.SimulatedRun;
import dev.sluice.harness.terminal.Console;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.function.Consumer;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.config.TopicConfig;
import org.jspecify.annotations.Nullable;

/**
 * The recording of a log of about 100,000 jobs: its size, what its writing adds to a run's end, how
 * fast requests are recorded from a topic, and how fast analytics makes windows of it. The log is
 * that of a simulation, in the topics of an embedded broker. Times are medians of {@value #TIMES}
 * readings, alternately with and without a recording, in this process.
 */
final class LogBench implements Bench {
  private static final Row SIZE = Row.atMost("log_100k_jobs_mb", "MB", 30);
  private static final Row END = Row.atMost("log_100k_jobs_end_s", "s", 1);
  private static final Row RECORD = Row.atLeast("record_topic_per_s", "records/s", 100_000);
  private static final Row LIVE = Row.atLeast("live_outcomes_per_s", "outcomes/s", 20_000);
  private static final int TIMES = 5;
  private static final Duration LIMIT = Duration.ofSeconds(60);
  private static final double NS_PER_SECOND = 1e9;

  private final String config;
  private final Path folder;
  private final Consumer<String> out;

  /**
   * @param config the experiment file's text
   * @param out receives the readings behind the medians
   */
  LogBench(String config, Path folder, Consumer<String> out) {
    this.config = config;
    this.folder = folder;
    this.out = out;
  }

  @Override
  public String name() {
    return "log";
  }

  @Override
  public List<Row> rows() {
    return List.of(SIZE, END, RECORD, LIVE);
  }

  @Override
  public Map<Row, Double> measure()
      throws IOException, InterruptedException, MeasurementFailedException {
    Path own = Files.createTempDirectory(Files.createDirectories(folder), name());
    try (var broker = EmbeddedBroker.start(own.resolve("broker"))) {
      Path log = simulate(own);
      var clients = LogClients.of(Map.of("bootstrap.servers", broker.bootstrapServers()));
      var topics = new Topics("bench");
      RunTopics.create(topics, 1, clients);
      long facts = fill(topics, clients, log);
      double size = Files.size(log) / 1e6;
      return Map.of(
          SIZE,
          size,
          END,
          addedSeconds(topics, clients, log, own),
          RECORD,
          facts / recordSeconds(topics, broker, own),
          LIVE,
          liveOutcomesPerSecond(clients, log));
    } catch (UserMistakeException e) {
      throw new MeasurementFailedException(String.valueOf(e.getMessage()), own);
    } finally {
      TemporaryFolder.remove(own);
    }
  }

  private Path simulate(Path own) throws UserMistakeException, IOException, InterruptedException {
    Path file = Files.writeString(own.resolve("log.yaml"), config);
    var options =
        new SimulatedRun.Options(
            file, List.of(), own, "log", null, new SimulatedRun.Output(true, true), null);
    int unused = new SimulatedRun(options, silent()).execute();
    return own.resolve("log").resolve(FolderFiles.LOG);
  }

  private static Console silent() {
    var nowhere = new PrintStream(OutputStream.nullOutputStream(), true, StandardCharsets.UTF_8);
    return new Console(nowhere, false);
  }

  /**
   * Puts a recording's records into topics, at the recorded times, and returns how many facts it
   * has.
   */
  private static long fill(Topics topics, LogClients clients, Path log)
      throws UserMistakeException {
    long facts = 0;
    try (RecordingReader reader = RecordingReader.open(log, false);
        KafkaProducer<byte[], byte[]> producer = clients.producer(Writing.IN_ORDER)) {
      for (RecordedEntry e = reader.next(); e != null; e = reader.next()) {
        String topic = topics.prefix() + "." + e.topic();
        var unused =
            producer.send(
                new ProducerRecord<>(topic, e.partition(), e.appendedAtEpochMs(), null, e.value()));
        facts += e.topic().equals("facts") ? 1 : 0;
      }
    }
    return facts;
  }

  /** Outcomes that analytics folds in a second, with the windows of both topics. */
  private double liveOutcomesPerSecond(LogClients clients, Path log)
      throws UserMistakeException, InterruptedException, MeasurementFailedException {
    List<Double> perSecond = new ArrayList<>();
    for (int i = 0; i < TIMES; i++) {
      var topics = new Topics("live-" + i);
      RunTopics.create(topics, 1, clients);
      keepRecordedTimes(topics, clients);
      long unused = fill(topics, clients, log);
      long beganNs = MachineClock.monotonicNs();
      try (var reader =
          new EventLogReader(clients, topics, MachineClock.process(), LogBench::described)) {
        if (!reader.awaitRunEnd(LIMIT)) {
          throw new MeasurementFailedException("the log was not read to its end", log);
        }
        double seconds = (MachineClock.monotonicNs() - beganNs) / NS_PER_SECOND;
        perSecond.add(reader.numbers().recordsRead().getOrDefault(topics.outcomes(), 0L) / seconds);
      }
    }
    out.accept("outcomes folded in a second: " + perSecond);
    return median(perSecond);
  }

  /** Lets records keep the times that they bring: seconds of the log are seconds of windows. */
  private static void keepRecordedTimes(Topics topics, LogClients clients)
      throws InterruptedException {
    var bringTimes =
        new AlterConfigOp(
            new ConfigEntry(TopicConfig.MESSAGE_TIMESTAMP_TYPE_CONFIG, "CreateTime"),
            AlterConfigOp.OpType.SET);
    Map<ConfigResource, Collection<AlterConfigOp>> changes = new HashMap<>();
    for (String topic : topics.all()) {
      changes.put(new ConfigResource(ConfigResource.Type.TOPIC, topic), List.of(bringTimes));
    }
    try (var admin = clients.admin()) {
      admin.incrementalAlterConfigs(changes).all().get();
    } catch (ExecutionException e) {
      throw new IllegalStateException("the topics' times cannot be set", e.getCause());
    }
  }

  private static RunDescribed described(RunStarted started) {
    return new RunDescribed(
        started.runId(),
        started.timeZeroEpochMs(),
        List.of(),
        "",
        started.configDigest(),
        started.requestDigest(),
        /* emulated= */ true,
        Map.of());
  }

  private double addedSeconds(Topics topics, LogClients clients, Path log, Path own)
      throws UserMistakeException {
    RecordingHeader header = RecordingReader.headerOf(log);
    List<Double> without = new ArrayList<>();
    List<Double> with = new ArrayList<>();
    for (int i = 0; i < TIMES; i++) {
      without.add(readSeconds(topics, clients, null));
      try (var recording = new RunRecording(own.resolve("again.gz"), header)) {
        with.add(readSeconds(topics, clients, recording));
      }
    }
    out.accept("second reading without a recording: " + without + " s, with one: " + with + " s");
    return median(with) - median(without);
  }

  private static double readSeconds(
      Topics topics, LogClients clients, @Nullable RunRecording recording) {
    long beganNs = MachineClock.monotonicNs();
    var reading = new SecondReading(topics, MachineClock.process());
    try (var consumer = clients.consumer(Reading.WHOLE_RUN)) {
      var unused = reading.read(consumer, LIMIT, recording);
    }
    return (MachineClock.monotonicNs() - beganNs) / NS_PER_SECOND;
  }

  private double recordSeconds(Topics topics, EmbeddedBroker broker, Path own)
      throws UserMistakeException, InterruptedException {
    var of =
        new Recorder.TopicOptions(
            topics.prefix(), broker.bootstrapServers(), null, null, null, null);
    var options =
        new Recorder.Options(null, of, own.resolve("requests.gz"), /* whole= */ false, false);
    List<Double> seconds = new ArrayList<>();
    for (int i = 0; i < TIMES; i++) {
      long beganNs = MachineClock.monotonicNs();
      int unused = new Recorder(options, silent()).execute();
      seconds.add((MachineClock.monotonicNs() - beganNs) / NS_PER_SECOND);
    }
    out.accept("requests recorded from a topic in " + seconds + " s");
    return median(seconds);
  }

  private static double median(List<Double> values) {
    return values.stream().sorted().toList().get(values.size() / 2);
  }
}
