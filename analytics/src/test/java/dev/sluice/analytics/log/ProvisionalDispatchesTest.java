package dev.sluice.analytics.log;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.analytics.fold.LiveFold;
import dev.sluice.analytics.fold.SyntheticRun;
import dev.sluice.analytics.report.RunReportTest;
import dev.sluice.contract.codec.EventCodec;
import dev.sluice.contract.event.BatchDispatched;
import dev.sluice.contract.log.Topics;
import dev.sluice.contract.window.LanesWindow;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.MockConsumer;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Test;

/** Dispatches that are read before they are committed, and the committed reading behind them. */
final class ProvisionalDispatchesTest {
  private static final Topics TOPICS = new Topics("run-1");
  private static final TopicPartition PARTITION = new TopicPartition(TOPICS.dispatches(), 0);
  private static final List<BatchDispatched> DISPATCHES =
      RunReportTest.log().stream()
          .filter(entry -> entry.topic().equals("dispatches"))
          .map(entry -> (BatchDispatched) entry.event())
          .toList();

  private final MockConsumer<byte[], byte[]> committed = consumer(0);

  @Test
  void areDecodedOnceForBothReadings_alsoBehindOnesThatWereGivenUp() {
    try (var provisional = provisional()) {
      provisional.poll(committed);
      assertThat(provisional.decoded(entry(0))).isEqualTo(DISPATCHES.get(0));
      assertThat(provisional.decoded(entry(0))).as("it was handed out").isNull();
      assertThat(provisional.decoded(entry(2))).as("1 was given up").isEqualTo(DISPATCHES.get(2));
      assertThat(provisional.decoded(entry(99))).isNull();
    }
  }

  @Test
  void rest_whileTheCommittedReadingHasABacklog() {
    var behind = consumer(3);
    try (var provisional = provisional()) {
      provisional.poll(behind);
      assertThat(provisional.decoded(entry(0))).isNull();
      behind.seek(PARTITION, 3);
      provisional.poll(behind);
      assertThat(provisional.decoded(entry(3))).isEqualTo(DISPATCHES.get(3));
    }
  }

  @Test
  void waitForTheFactsThatTheyRestOn() {
    var fold = new LiveFold();
    RunReportTest.log().stream()
        .filter(entry -> entry.topic().equals("facts"))
        .filter(entry -> entry.appendedAtEpochMs() <= SyntheticRun.ZERO_EPOCH_MS + 501)
        .forEach(entry -> SyntheticRun.apply(fold, entry, 0));
    try (var provisional = provisional()) {
      provisional.poll(committed);
      provisional.applyTo(fold, shard -> 1);
      LanesWindow before = fold.closeLanesWindow(510_000_000);
      provisional.applyTo(fold, shard -> 2);
      LanesWindow after = fold.closeLanesWindow(600_000_000);
      assertThat(before.running()).isZero();
      assertThat(after.running()).isEqualTo(1);
      assertThat(after.waiting()).isEqualTo(before.waiting() - 1);
    }
  }

  private ProvisionalDispatches provisional() {
    var consumer = consumer(DISPATCHES.size());
    var provisional = new ProvisionalDispatches(consumer, TOPICS);
    provisional.assign(List.of(PARTITION, new TopicPartition(TOPICS.facts(), 0)));
    for (int i = 0; i < DISPATCHES.size(); i++) {
      consumer.addRecord(entry(i));
    }
    return provisional;
  }

  private static MockConsumer<byte[], byte[]> consumer(long end) {
    var consumer = new MockConsumer<byte[], byte[]>("earliest");
    consumer.assign(List.of(PARTITION));
    consumer.updateBeginningOffsets(Map.of(PARTITION, 0L));
    consumer.updateEndOffsets(Map.of(PARTITION, end));
    consumer.seek(PARTITION, 0);
    return consumer;
  }

  private static ConsumerRecord<byte[], byte[]> entry(int offset) {
    byte[] bytes = EventCodec.DISPATCHES.write(DISPATCHES.get(offset % DISPATCHES.size()));
    return new ConsumerRecord<>(TOPICS.dispatches(), 0, offset, new byte[0], bytes);
  }
}
