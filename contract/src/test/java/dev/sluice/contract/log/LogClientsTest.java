package dev.sluice.contract.log;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.MockConsumer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The clients' settings by purpose, reading by assignment, and letters, without a broker. */
final class LogClientsTest {
  private static final Map<String, Object> USER =
      Map.of(
          "bootstrap.servers", "127.0.0.1:1",
          "delivery.timeout.ms", 1234,
          "linger.ms", 50,
          "fetch.min.bytes", 9,
          "sasl.jaas.config", "secret");

  @ParameterizedTest
  @EnumSource(Reading.class)
  void noConsumer_commitsOffsetsOrMakesTopics(Reading reading) {
    assertThat(reading.over(USER))
        .containsEntry("bootstrap.servers", "127.0.0.1:1")
        .containsEntry("enable.auto.commit", false)
        .containsEntry("allow.auto.create.topics", false)
        .doesNotContainKey("group.id");
  }

  @Test
  void aPurposeDecidesIsolationAndFetching_andLeavesTheRestToTheUser() {
    assertThat(Reading.AT_ONCE.over(USER))
        .containsEntry("isolation.level", "read_uncommitted")
        .containsEntry("fetch.min.bytes", 1);
    assertThat(Reading.COMMITTED.over(USER))
        .containsEntry("isolation.level", "read_committed")
        .containsEntry("fetch.min.bytes", 9);
    assertThat(Reading.WHOLE_RUN.over(USER))
        .containsEntry("isolation.level", "read_committed")
        .containsEntry("auto.offset.reset", "none")
        .containsEntry("fetch.min.bytes", 262_144)
        .containsEntry("fetch.max.wait.ms", 200)
        .containsEntry("max.poll.records", 2000);
  }

  @ParameterizedTest
  @EnumSource(Writing.class)
  void everyProducer_sendsAtOnceToAllReplicas(Writing writing) {
    assertThat(writing.over(USER)).containsEntry("acks", "all").containsEntry("linger.ms", 0);
  }

  @Test
  void theUsersTimeLimitsCount_exceptForALastWord() {
    assertThat(Writing.FACTS.over(USER))
        .containsEntry("delivery.timeout.ms", 1234)
        .containsEntry("max.block.ms", 90_000)
        .containsEntry("max.in.flight.requests.per.connection", 1)
        .containsEntry("enable.idempotence", true)
        .doesNotContainKey("metadata.recovery.strategy");
    assertThat(Writing.ARRIVALS.over(USER)).containsEntry("metadata.recovery.strategy", "none");
    assertThat(Writing.LAST_WORD.over(USER)).containsEntry("delivery.timeout.ms", 5000);
    assertThat(Writing.SINGLE.over(USER)).doesNotContainKey("enable.idempotence");
  }

  @Test
  void aGatheringProducer_waitsNoLongerThanTheUsersLimitsLeave() {
    assertThat(lingerMs(Map.of())).isEqualTo(5);
    assertThat(lingerMs(Map.of("delivery.timeout.ms", "10003"))).isEqualTo(3);
    assertThat(lingerMs(Map.of("request.timeout.ms", 90_000))).isEqualTo(0);
  }

  /** How long a producer of arrivals with these properties gathers, where 5 ms are wanted. */
  private static Object lingerMs(Map<String, Object> user) {
    return Objects.requireNonNull(
        LogClients.of(user).gathering(Writing.ARRIVALS, 5).get("linger.ms"));
  }

  @Test
  void itsText_tellsNoProperty() {
    assertThat(LogClients.of(USER)).hasToString("clients of 127.0.0.1:1");
  }

  @Test
  void aReader_readsTheNewestRecords_andGoesOnWhereItStopped() {
    var partition = new TopicPartition("run.facts", 0);
    var consumer = new MockConsumer<byte[], byte[]>("earliest");
    consumer.updateBeginningOffsets(Map.of(partition, 0L));
    consumer.updateEndOffsets(Map.of(partition, 3L));
    consumer.schedulePollTask(
        () -> {
          for (int offset = 0; offset < 3; offset++) {
            consumer.addRecord(record(partition, offset));
          }
        });
    List<Long> read = new ArrayList<>();
    var reader = new TopicReader(consumer);
    reader.readNewest(partition, 2, entry -> read.add(entry.offset()));
    assertThat(read).containsExactly(1L, 2L);
    assertThat(reader.count(List.of(partition))).isEqualTo(3);

    consumer.addRecord(record(partition, 3));
    consumer.updateEndOffsets(Map.of(partition, 4L));
    reader.readOn(partition, entry -> read.add(entry.offset()));
    assertThat(read).containsExactly(1L, 2L, 3L);
    assertThat(TopicReader.hasReadTo(Map.of(partition, 4L), consumer)).isTrue();
    assertThat(TopicReader.hasReadTo(Map.of(partition, 5L), consumer)).isFalse();
  }

  @Test
  void aLetter_holdsTheBytes_andSaysWhereTheyStood() {
    ProducerRecord<byte[], byte[]> letter =
        DeadLetter.of(
            new Topics("run"), record(new TopicPartition("run.facts", 2), 7), "no such type");
    assertThat(letter.topic()).isEqualTo("run.dead-letters");
    assertThat(letter.value()).containsExactly(7);
    assertThat(letter.headers().toArray())
        .extracting(header -> header.key() + "=" + new String(header.value(), UTF_8))
        .containsExactly(
            "error=no such type",
            "source-topic=run.facts",
            "source-partition=2",
            "source-offset=7");
  }

  private static ConsumerRecord<byte[], byte[]> record(TopicPartition partition, long offset) {
    return new ConsumerRecord<>(
        partition.topic(), partition.partition(), offset, new byte[0], new byte[] {(byte) offset});
  }
}
