package dev.sluice.analytics.log;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.analytics.fold.LiveFold;
import dev.sluice.contract.event.BatchDispatched;
import dev.sluice.contract.event.Ticked;
import dev.sluice.contract.log.EventCodec;
import dev.sluice.contract.log.Topics;
import dev.sluice.contract.log.UnreadableEventException;
import dev.sluice.contract.value.DispatchId;
import dev.sluice.contract.value.ModelKey;
import dev.sluice.contract.value.Prediction;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.MockConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.record.TimestampType;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What is read next, on hand-made records of two shards. */
final class FactsFirstTest {
  private static final Topics TOPICS = new Topics("run-1");
  private static final TopicPartition FACTS = new TopicPartition(TOPICS.facts(), 0);
  private static final TopicPartition DISPATCHES = new TopicPartition(TOPICS.dispatches(), 0);
  private static final TopicPartition OTHER_FACTS = new TopicPartition(TOPICS.facts(), 1);
  private static final List<TopicPartition> ALL = List.of(FACTS, DISPATCHES, OTHER_FACTS);

  private final MockConsumer<byte[], byte[]> consumer = new MockConsumer<>("none");
  private final FactsFirst order = new FactsFirst(TOPICS, new LiveFold(), null, ALL);

  @BeforeEach
  void assign() {
    for (TopicPartition partition : ALL) {
      consumer.updateBeginningOffsets(Map.of(partition, 0L));
      consumer.updateEndOffsets(Map.of(partition, 9L));
    }
    consumer.assign(ALL);
    consumer.seekToBeginning(ALL);
  }

  @Test
  void aPartitionThatIsFarAheadPauses() throws UnreadableEventException {
    consumer.updateEndOffsets(Map.of(DISPATCHES, 0L));
    tick(FACTS, 0, 100_000);
    tick(OTHER_FACTS, 0, 90_000);
    assertThat(order.keepTogether(consumer)).isLessThanOrEqualTo(90_000);
    assertThat(consumer.paused()).containsExactly(FACTS);
  }

  @Test
  void factsThatADispatchWaitsForAreRead_alsoIfTheBrokersClockWasSetBack()
      throws UnreadableEventException {
    tick(FACTS, 0, 100_000);
    tick(OTHER_FACTS, 0, 100_000);
    dispatch(1, 90_000); // of the next fact
    order.applyWaiting(false);
    order.keepTogether(consumer);
    assertThat(consumer.paused()).containsExactlyInAnyOrder(DISPATCHES, OTHER_FACTS);

    tick(FACTS, 1, 90_000);
    order.applyWaiting(false);
    assertThat(order.nothingWaits()).isTrue();
  }

  private void tick(TopicPartition partition, long offset, long atEpochMs)
      throws UnreadableEventException {
    take(partition, offset, atEpochMs, EventCodec.FACTS.write(new Ticked()));
  }

  private void dispatch(long fact, long atEpochMs) throws UnreadableEventException {
    var dispatch =
        new BatchDispatched(
            new DispatchId(fact, 0),
            new BatchDispatched.Place("local", 1, List.of(0)),
            BatchDispatched.Work.firstAttempt(
                new ModelKey("resnet18", "onnx", "fp32"),
                List.of(new BatchDispatched.DispatchedJob("job-0", 1)),
                1),
            new BatchDispatched.Decision(0, null, Map.of(), null, null),
            new Prediction(1, "running_mean", 1, null, null, null, null));
    take(DISPATCHES, 0, atEpochMs, EventCodec.DISPATCHES.write(dispatch));
  }

  private void take(TopicPartition partition, long offset, long atEpochMs, byte[] value)
      throws UnreadableEventException {
    order.take(
        new ConsumerRecord<>(
            partition.topic(),
            partition.partition(),
            offset,
            atEpochMs,
            TimestampType.LOG_APPEND_TIME,
            0,
            value.length,
            new byte[0],
            value,
            new RecordHeaders(),
            Optional.empty()));
  }
}
