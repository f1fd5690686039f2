package dev.sluice.analytics.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.analytics.fold.LiveSnapshot;
import dev.sluice.analytics.fold.RunContext;
import dev.sluice.analytics.fold.SyntheticRun;
import dev.sluice.analytics.report.RunReportTest;
import dev.sluice.contract.event.BatchDispatched;
import dev.sluice.contract.event.BatchesEnded;
import dev.sluice.contract.event.Fact;
import dev.sluice.contract.event.MetricsWindow;
import dev.sluice.contract.event.Outcome;
import dev.sluice.contract.event.RunDescribed;
import dev.sluice.contract.event.RunRecord;
import dev.sluice.contract.event.RunStarted;
import dev.sluice.contract.event.RunSummarized;
import dev.sluice.contract.event.WindowRecord;
import dev.sluice.contract.log.EventCodec;
import dev.sluice.contract.log.ProcessClock;
import dev.sluice.contract.log.RecordedEntry;
import dev.sluice.contract.log.RecordingHeader;
import dev.sluice.contract.log.RecordingReader;
import dev.sluice.contract.log.Topics;
import dev.sluice.contract.log.UnreadableEventException;
import java.nio.charset.StandardCharsets;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.TreeMap;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.MockConsumer;
import org.apache.kafka.clients.producer.MockProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.PartitionInfo;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.record.TimestampType;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The Kafka shell against the client library's own mocks. */
final class EventLogReaderTest {
  private static final Duration LONG = Duration.ofSeconds(30);
  private static final RecordingHeader HEADER =
      new RecordingHeader(1, RecordingHeader.Kind.LOG, "run-1", 0, 1, "1", null, null, null);

  private static final RunSummarized SUMMARY =
      new RunSummarized("run-1", "{\"all_count\": 4}", null);

  @TempDir private Path folder;

  private final Topics topics = new Topics("run-1");
  private final ProcessClock clock =
      new ProcessClock(() -> Instant.ofEpochMilli(SyntheticRun.ZERO_EPOCH_MS + 5000), () -> 0);
  private MockProducer<byte[], byte[]> producer = producer();
  private final List<MockConsumer<byte[], byte[]>> consumers = new ArrayList<>();

  /** Bytes in a topic. */
  private record Bytes(String topic, byte[] value, long appendedAtEpochMs) {}

  @Test
  void readsAWholeRun_andAgainForTheReport() throws Exception {
    try (var reader = reader(run())) {
      assertThat(reader.awaitRunEnd(LONG)).isTrue();
      assertThat(reader.snapshot().total().done()).isEqualTo(5);
      assertThat(reader.snapshot().throughNs()).isEqualTo(4_000_000_000L);
      assertThat(reader.report(context(), null).summary().figure("all_count")).isEqualTo(4);
      assertThat(reader.report(context(), null).summary().notComparableReasons()).isEmpty();
      assertThat(reader.snapshot().violations()).isEqualTo(Map.of("interactive", 1L, "batch", 1L));
      assertThat(windows()).hasSize(4);
    }
    assertThat(consumers).hasSize(3).allMatch(MockConsumer::closed);
  }

  @Test
  void recordsEveryTopic_besideTheReport() throws Exception {
    var log = new ArrayList<>(run());
    log.add(new Bytes(topics.deadLetters(), new byte[] {1, 2}, 7));
    Path file = folder.resolve("log.jsonl.gz");
    try (var reader = reader(log)) {
      assertThat(reader.awaitRunEnd(LONG)).isTrue();
      try (var recording = new RunRecording(file, HEADER)) {
        assertThat(reader.report(context(), recording).summary().figure("all_count")).isEqualTo(4);
        assertThat(recording.failure()).isNull();
      }
    }
    List<String> recorded = new ArrayList<>();
    try (var again = RecordingReader.ofLog(file, false)) {
      assertThat(again.header()).isEqualTo(HEADER);
      for (RecordedEntry e = again.next(); e != null; e = again.next()) {
        recorded.add(e.topic() + " " + new String(e.value(), StandardCharsets.UTF_8));
      }
    }
    assertThat(recorded)
        .containsExactlyInAnyOrderElementsOf(
            log.stream()
                .map(
                    b ->
                        b.topic().substring("run-1.".length())
                            + " "
                            + new String(b.value(), StandardCharsets.UTF_8))
                .toList());
  }

  @Test
  void aRecordingThatCannotBeWritten_leavesTheReportWhole() throws Exception {
    Path file = folder.resolve("no such folder").resolve("log.jsonl.gz");
    try (var reader = reader(run());
        var recording = new RunRecording(file, HEADER)) {
      assertThat(reader.awaitRunEnd(LONG)).isTrue();
      assertThat(reader.report(context(), recording).summary().figure("all_count")).isEqualTo(4);
      assertThat(recording.failure()).isInstanceOf(NoSuchFileException.class);
    }
    assertThat(folder).isEmptyDirectory();
  }

  @Test
  void waitsForTheFactsThatOutcomesRestOn() throws InterruptedException {
    consumers.clear();
    var late = consumer(run(), topics.facts());
    try (var reader = reader(late)) {
      assertThat(reader.awaitRunEnd(LONG)).isTrue();
      LiveSnapshot end = reader.snapshot();
      assertThat(end.total().requested()).isEqualTo(6);
      assertThat(end.total().done()).isEqualTo(5);
      assertThat(end.total().waiting() + end.running()).isZero();
    }
  }

  @Test
  void waitsForTheDispatchThatAnOutcomeNames_alsoIfNoneIsKnownToBeUnread() throws Exception {
    try (var reader = reader(run())) {
      assertThat(reader.awaitRunEnd(LONG)).isTrue();
    }
    List<MetricsWindow> asItWas = windows();
    producer = producer();
    consumers.clear();
    var late = consumer(run(), topics.dispatches());
    try (var reader =
        new EventLogReader(
            late, () -> late, producer, topics, clock, EventLogReaderTest::described, null)) {
      assertThat(reader.awaitRunEnd(LONG)).isTrue();
    }
    assertThat(windows()).isEqualTo(asItWas);
  }

  @Test
  void describesTheRunFirst_andSummarizesItLast() throws Exception {
    try (var reader = reader(run())) {
      assertThat(reader.awaitRunEnd(LONG)).isTrue();
      reader.summarize(SUMMARY);
      reader.summarize(SUMMARY);
    }
    List<WindowRecord> records = metrics();
    assertThat(records).hasSize(6);
    assertThat(records.get(0))
        .isEqualTo(
            described(
                new RunStarted(
                    "run-1", SyntheticRun.ZERO_EPOCH_MS, 42, "c0ffee", "feed", 1, 1, null)));
    assertThat(records.subList(1, 5)).allMatch(MetricsWindow.class::isInstance);
    assertThat(records.get(5)).isEqualTo(SUMMARY);
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 2, 4, 5, 6})
  void writesNothingTwice_andLeavesNothingOut_whenAnEarlierProcessWroteSome(int wroteEarlier)
      throws Exception {
    try (var reader = reader(run())) {
      assertThat(reader.awaitRunEnd(LONG)).isTrue();
      reader.summarize(SUMMARY);
    }
    List<WindowRecord> all = metrics();
    assertThat(windows())
        .extracting(MetricsWindow::toNs)
        .containsExactly(1000000000L, 2000000000L, 3000000000L, 4000000000L);
    producer = producer();
    var again = new ArrayList<>(run());
    again.add(
        new Bytes(
            topics.metrics(),
            "{\"type\":\"EnergyWindow\",\"version\":3}".getBytes(StandardCharsets.UTF_8),
            0));
    for (WindowRecord record : all.subList(0, wroteEarlier)) {
      again.add(new Bytes(topics.metrics(), EventCodec.METRICS.write(record), 0));
    }
    try (var reader = reader(again)) {
      assertThat(reader.awaitRunEnd(LONG)).isTrue();
      reader.summarize(SUMMARY);
    }
    assertThat(metrics()).isEqualTo(all.subList(wroteEarlier, all.size()));
  }

  @Test
  void tellsTheBatchesThatEnded_atTheLatestAtTheRunsEnd() throws Exception {
    try (var reader = reader(run())) {
      assertThat(reader.awaitRunEnd(LONG)).isTrue();
    }
    List<byte[]> written = written(topics.metrics());
    var last = (BatchesEnded) EventCodec.METRICS.read(written.get(written.size() - 1));
    assertThat(last.toNs()).isEqualTo(3_320_000_000L);
    BatchesEnded.Lane lane = last.executors().get(0).lanes().get(0);
    assertThat(lane.underWay()).isZero();
    assertThat(lane.batches()).extracting(BatchesEnded.Batch::result).contains("DONE");
  }

  @Test
  void sendsUnreadableOutcomesToTheDeadLetters_andOnlyCountsThoseOfFacts()
      throws InterruptedException {
    var log = new ArrayList<Bytes>();
    log.add(new Bytes(topics.outcomes(), "no event".getBytes(StandardCharsets.UTF_8), 0));
    log.add(new Bytes(topics.facts(), new byte[] {0, 1}, 0));
    log.addAll(run());
    try (var reader = reader(log)) {
      assertThat(reader.awaitRunEnd(LONG)).isTrue();
      assertThat(reader.report(context(), null).summary().notComparableReasons())
          .containsExactly(
              "1 unreadable records in run-1.facts", "1 unreadable records in run-1.outcomes");
    }
    var letters =
        producer.history().stream().filter(r -> r.topic().equals("run-1.dead-letters")).toList();
    assertThat(letters).hasSize(1);
    var letter = letters.get(0);
    assertThat(letter.value()).asString(StandardCharsets.UTF_8).isEqualTo("no event");
    assertThat(letter.headers().lastHeader("source-topic").value())
        .asString()
        .isEqualTo("run-1.outcomes");
    assertThat(letter.headers().lastHeader("source-offset").value()).asString().isEqualTo("0");
    assertThat(letter.headers().lastHeader("error").value()).asString().isNotBlank();
  }

  @Test
  void handsAFailureOfItsThreadToTheCaller() {
    MockConsumer<byte[], byte[]> broken = consumer(List.of());
    broken.setPollException(new KafkaException("broken"));
    try (var reader = reader(broken)) {
      assertThatThrownBy(() -> reader.awaitRunEnd(LONG))
          .isInstanceOf(IllegalStateException.class)
          .hasRootCauseMessage("broken");
      assertThatThrownBy(reader::snapshot).isInstanceOf(IllegalStateException.class);
    }
  }

  @Test
  void fails_whenATopicIsMissing() {
    var empty = new MockConsumer<byte[], byte[]>("earliest");
    try (var reader = reader(empty)) {
      assertThatThrownBy(() -> reader.awaitRunEnd(LONG))
          .hasRootCauseMessage("topic run-1.runs does not exist");
    }
  }

  private static MockProducer<byte[], byte[]> producer() {
    return new MockProducer<>(true, null, new ByteArraySerializer(), new ByteArraySerializer());
  }

  private EventLogReader reader(List<Bytes> log) {
    consumers.clear();
    return new EventLogReader(
        consumer(log),
        () -> consumer(log),
        producer,
        topics,
        clock,
        EventLogReaderTest::described,
        null);
  }

  private EventLogReader reader(MockConsumer<byte[], byte[]> consumer) {
    return new EventLogReader(
        consumer, () -> consumer, producer, topics, clock, EventLogReaderTest::described, null);
  }

  private static RunDescribed described(RunStarted started) {
    return new RunDescribed(
        started.runId(),
        started.timeZeroEpochMs(),
        List.of("emulated lanes: they waited instead of computing"),
        "run_name: quickstart\n",
        started.configDigest(),
        started.requestDigest(),
        true,
        Map.of("sluice", "0.1.0"));
  }

  /** Records of a topic that the reader wrote. */
  private List<byte[]> written(String topic) {
    return producer.history().stream()
        .filter(sent -> sent.topic().equals(topic))
        .map(ProducerRecord::value)
        .toList();
  }

  /** All records of topic metrics but the batches that ended. */
  private List<WindowRecord> metrics() throws UnreadableEventException {
    List<WindowRecord> records = new ArrayList<>();
    for (byte[] bytes : written(topics.metrics())) {
      WindowRecord record = EventCodec.METRICS.read(bytes);
      if (!(record instanceof BatchesEnded)) {
        records.add(record);
      }
    }
    return records;
  }

  private List<MetricsWindow> windows() throws UnreadableEventException {
    return metrics().stream()
        .filter(MetricsWindow.class::isInstance)
        .map(MetricsWindow.class::cast)
        .toList();
  }

  private static RunContext context() {
    return SyntheticRun.context(SyntheticRun.experiment(2.5, 1, 3, 1, Map.of()));
  }

  /** The hand-made run. */
  private List<Bytes> run() {
    return RunReportTest.log().stream()
        .map(entry -> new Bytes("run-1." + entry.topic(), bytes(entry), entry.appendedAtEpochMs()))
        .toList();
  }

  private static byte[] bytes(SyntheticRun.Entry entry) {
    return switch (entry.topic()) {
      case "runs" -> EventCodec.RUNS.write((RunRecord) entry.event());
      case "facts" -> EventCodec.FACTS.write((Fact) entry.event());
      case "dispatches" -> EventCodec.DISPATCHES.write((BatchDispatched) entry.event());
      default -> EventCodec.OUTCOMES.write((Outcome) entry.event());
    };
  }

  /** A consumer that finds those records; any topic's whenever it is first assigned and polled. */
  private MockConsumer<byte[], byte[]> consumer(List<Bytes> log) {
    return consumer(log, null);
  }

  /**
   * @param lateTopic comes five polls after the others, of which the consumer knows nothing; null:
   *     none
   */
  private MockConsumer<byte[], byte[]> consumer(List<Bytes> log, @Nullable String lateTopic) {
    var consumer =
        new MockConsumer<byte[], byte[]>("earliest") {
          @Override
          public synchronized OptionalLong currentLag(TopicPartition partition) {
            boolean late = partition.topic().equals(lateTopic);
            return late ? OptionalLong.of(0) : super.currentLag(partition);
          }
        };
    consumers.add(consumer);
    Map<TopicPartition, List<Bytes>> byPartition =
        new TreeMap<>(Comparator.comparing(TopicPartition::topic));
    for (String topic :
        List.of(
            topics.runs(),
            topics.facts(),
            topics.dispatches(),
            topics.outcomes(),
            topics.metrics(),
            topics.deadLetters())) {
      var partition = new TopicPartition(topic, 0);
      byPartition.put(partition, log.stream().filter(b -> b.topic().equals(topic)).toList());
      consumer.updatePartitions(
          topic, List.of(new PartitionInfo(topic, 0, Node.noNode(), new Node[0], new Node[0])));
      consumer.updateBeginningOffsets(Map.of(partition, 0L));
      consumer.updateEndOffsets(Map.of(partition, (long) byPartition.get(partition).size()));
    }
    fillAtPoll(consumer, byPartition, lateTopic, 5);
    return consumer;
  }

  private static void fillAtPoll(
      MockConsumer<byte[], byte[]> consumer,
      Map<TopicPartition, List<Bytes>> left,
      @Nullable String lateTopic,
      int pollsBefore) {
    consumer.schedulePollTask(
        () -> {
          var assigned = new HashSet<>(consumer.assignment());
          assigned.removeIf(p -> pollsBefore > 0 && p.topic().equals(lateTopic));
          left.forEach(
              (partition, records) -> {
                if (assigned.contains(partition)) {
                  addAll(consumer, partition, records);
                }
              });
          left.keySet().removeAll(assigned);
          if (!left.isEmpty()) {
            fillAtPoll(consumer, left, lateTopic, pollsBefore - 1);
          }
        });
  }

  private static void addAll(
      MockConsumer<byte[], byte[]> consumer, TopicPartition partition, List<Bytes> records) {
    for (int i = 0; i < records.size(); i++) {
      Bytes record = records.get(i);
      consumer.addRecord(
          new ConsumerRecord<>(
              partition.topic(),
              0,
              i,
              record.appendedAtEpochMs(),
              TimestampType.LOG_APPEND_TIME,
              0,
              record.value().length,
              new byte[0],
              record.value(),
              new RecordHeaders(),
              Optional.empty()));
    }
  }
}
