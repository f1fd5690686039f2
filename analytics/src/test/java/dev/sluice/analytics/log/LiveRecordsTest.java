package dev.sluice.analytics.log;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.contract.log.Topics;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.LongStream;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.MockConsumer;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Test;

/** Two consumers as one, against the client library's own mocks. */
final class LiveRecordsTest {
  private static final Topics TOPICS = new Topics("run-1");
  private static final TopicPartition FACTS = new TopicPartition(TOPICS.facts(), 0);
  private static final TopicPartition OUTCOMES = new TopicPartition(TOPICS.outcomes(), 0);
  private static final TopicPartition DISPATCHES = new TopicPartition(TOPICS.dispatches(), 0);

  private final MockConsumer<byte[], byte[]> committed = new MockConsumer<>("earliest");
  private final MockConsumer<byte[], byte[]> provisional = new MockConsumer<>("earliest");
  private final LiveRecords records = records();

  @Test
  void takeDispatchesFromTheUncommittedReading_andAllElseFromTheCommittedOne() {
    assertThat(committed.assignment()).containsExactlyInAnyOrder(FACTS, OUTCOMES);
    assertThat(provisional.assignment()).containsExactly(DISPATCHES);
    add(committed, FACTS, 2);
    add(provisional, DISPATCHES, 3);

    assertThat(records.poll())
        .extracting(ConsumerRecord::topic)
        .containsOnly(TOPICS.facts(), TOPICS.dispatches())
        .hasSize(5);
    assertThat(records.lag(DISPATCHES)).hasValue(0);
    assertThat(records.poll()).isEmpty();
  }

  @Test
  void knowTheEndsOfBoth() {
    add(committed, FACTS, 2);
    add(provisional, DISPATCHES, 3);
    Map<TopicPartition, Long> ends = records.ends(topic -> true);
    assertThat(ends).isEqualTo(Map.of(FACTS, 2L, OUTCOMES, 0L, DISPATCHES, 3L));
    assertThat(records.hasReadTo(ends)).isFalse();
    assertThat(records.poll()).hasSize(5);
    assertThat(records.hasReadTo(ends)).isTrue();
    assertThat(records.ends(topic -> topic.equals(TOPICS.facts()))).isEqualTo(Map.of(FACTS, 2L));
  }

  @Test
  void pauseWhatIsNamed_andGoOnWithTheRest() {
    records.pauseOnly(Set.of(FACTS, DISPATCHES));
    assertThat(committed.paused()).containsExactly(FACTS);
    assertThat(provisional.paused()).containsExactly(DISPATCHES);
    add(provisional, DISPATCHES, 1);
    assertThat(records.poll()).isEmpty();

    records.pauseOnly(Set.of(OUTCOMES));
    assertThat(committed.paused()).containsExactly(OUTCOMES);
    assertThat(provisional.paused()).isEmpty();
    assertThat(records.poll()).hasSize(1);
  }

  @Test
  void closeBoth() {
    records.close();
    assertThat(committed.closed()).isTrue();
    assertThat(provisional.closed()).isTrue();
  }

  private LiveRecords records() {
    var both = new LiveRecords(committed, provisional, TOPICS);
    for (TopicPartition partition : List.of(FACTS, OUTCOMES, DISPATCHES)) {
      var consumer = partition.equals(DISPATCHES) ? provisional : committed;
      consumer.updateBeginningOffsets(Map.of(partition, 0L));
      consumer.updateEndOffsets(Map.of(partition, 0L));
    }
    both.assign(List.of(FACTS, OUTCOMES, DISPATCHES));
    return both;
  }

  private static void add(
      MockConsumer<byte[], byte[]> consumer, TopicPartition partition, long count) {
    consumer.updateEndOffsets(Map.of(partition, count));
    LongStream.range(0, count)
        .forEach(
            offset ->
                consumer.addRecord(
                    new ConsumerRecord<>(
                        partition.topic(), 0, offset, new byte[0], new byte[] {1})));
  }
}
