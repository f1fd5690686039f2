package dev.sluice.analytics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.contract.BatchDispatched;
import dev.sluice.contract.EventCodec;
import dev.sluice.contract.Fact;
import dev.sluice.contract.Outcome;
import dev.sluice.contract.ProcessClock;
import dev.sluice.contract.RunRecord;
import dev.sluice.contract.Topics;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.MockConsumer;
import org.apache.kafka.clients.producer.MockProducer;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.PartitionInfo;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.record.TimestampType;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.Test;

/** The Kafka shell against the client library's own mocks. */
final class EventLogReaderTest {
  private static final Duration LONG = Duration.ofSeconds(30);

  private final Topics topics = new Topics("run-1");
  private final ProcessClock clock =
      new ProcessClock(() -> Instant.ofEpochMilli(SyntheticRun.ZERO_EPOCH_MS + 5000), () -> 0);
  private final MockConsumer<byte[], byte[]> consumer = new MockConsumer<>("earliest");
  private final MockProducer<byte[], byte[]> producer =
      new MockProducer<>(true, null, new ByteArraySerializer(), new ByteArraySerializer());
  private final Map<String, Long> ends = new HashMap<>();

  @Test
  void readsAWholeRun() throws InterruptedException {
    createTopics();
    consumer.schedulePollTask(this::writeTheRun);
    try (var reader = new EventLogReader(consumer, producer, topics, clock)) {
      assertThat(reader.awaitRunEnd(LONG)).isTrue();
      assertThat(reader.snapshot().done()).isEqualTo(5);
      assertThat(reader.snapshot().elapsedNs()).isEqualTo(5_000_000_000L);
      assertThat(reader.report(context()).summary().figure("all_count")).isEqualTo(4);
      assertThat(reader.report(context()).summary().notComparableReasons()).isEmpty();
    }
    assertThat(consumer.closed()).isTrue();
  }

  @Test
  void sendsUnreadableOutcomesToTheDeadLetters_andOnlyCountsThoseOfFacts()
      throws InterruptedException {
    createTopics();
    consumer.schedulePollTask(
        () -> {
          append(topics.outcomes(), "no event".getBytes(StandardCharsets.UTF_8), 0);
          append(topics.facts(), new byte[] {0, 1}, 0);
          writeTheRun();
        });
    try (var reader = new EventLogReader(consumer, producer, topics, clock)) {
      assertThat(reader.awaitRunEnd(LONG)).isTrue();
      assertThat(reader.report(context()).summary().notComparableReasons())
          .containsExactly(
              "1 unreadable records in run-1.facts", "1 unreadable records in run-1.outcomes");
    }
    assertThat(producer.history()).hasSize(1);
    var letter = producer.history().get(0);
    assertThat(letter.topic()).isEqualTo("run-1.dead-letters");
    assertThat(letter.value()).asString(StandardCharsets.UTF_8).isEqualTo("no event");
    assertThat(letter.headers().lastHeader("source-topic").value())
        .asString()
        .isEqualTo("run-1.outcomes");
    assertThat(letter.headers().lastHeader("source-offset").value()).asString().isEqualTo("0");
    assertThat(letter.headers().lastHeader("error").value()).asString().isNotBlank();
  }

  @Test
  void handsAFailureOfItsThreadToTheCaller() {
    createTopics();
    consumer.setPollException(new KafkaException("broken"));
    try (var reader = new EventLogReader(consumer, producer, topics, clock)) {
      assertThatThrownBy(() -> reader.awaitRunEnd(LONG))
          .isInstanceOf(IllegalStateException.class)
          .hasRootCauseMessage("broken");
      assertThatThrownBy(reader::snapshot).isInstanceOf(IllegalStateException.class);
    }
  }

  @Test
  void fails_whenATopicIsMissing() {
    try (var reader = new EventLogReader(consumer, producer, topics, clock)) {
      assertThatThrownBy(() -> reader.awaitRunEnd(LONG))
          .hasRootCauseMessage("topic run-1.runs does not exist");
    }
  }

  private static RunContext context() {
    return SyntheticRun.context(SyntheticRun.experiment(2.5, 1, 3, 1, Map.of()));
  }

  private void createTopics() {
    for (String topic :
        List.of(topics.runs(), topics.facts(), topics.dispatches(), topics.outcomes())) {
      consumer.updatePartitions(
          topic, List.of(new PartitionInfo(topic, 0, Node.noNode(), new Node[0], new Node[0])));
      consumer.updateBeginningOffsets(Map.of(new TopicPartition(topic, 0), 0L));
      consumer.updateEndOffsets(Map.of(new TopicPartition(topic, 0), 0L));
      ends.put(topic, 0L);
    }
  }

  private void writeTheRun() {
    for (SyntheticRun.Entry entry : RunReportTest.log()) {
      byte[] bytes =
          switch (entry.topic()) {
            case "runs" -> EventCodec.RUNS.write((RunRecord) entry.event());
            case "facts" -> EventCodec.FACTS.write((Fact) entry.event());
            case "dispatches" -> EventCodec.DISPATCHES.write((BatchDispatched) entry.event());
            default -> EventCodec.OUTCOMES.write((Outcome) entry.event());
          };
      append("run-1." + entry.topic(), bytes, entry.appendedAtEpochMs());
    }
  }

  private void append(String topic, byte[] value, long atEpochMs) {
    long offset = ends.merge(topic, 1L, Long::sum) - 1;
    consumer.addRecord(
        new ConsumerRecord<>(
            topic,
            0,
            offset,
            atEpochMs,
            TimestampType.LOG_APPEND_TIME,
            0,
            value.length,
            new byte[0],
            value,
            new RecordHeaders(),
            Optional.empty()));
    consumer.updateEndOffsets(Map.of(new TopicPartition(topic, 0), offset + 1));
  }
}
