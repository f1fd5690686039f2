package dev.sluice.contract.log;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.contract.log.LogMerge.Offsets;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.MockConsumer;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.PartitionInfo;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.record.TimestampType;
import org.junit.jupiter.api.Test;

/** The merge of a run's partitions, against the client library's own mock. */
final class LogMergeTest {
  private static final Topics TOPICS = new Topics("run");

  private final AtomicLong nowNs = new AtomicLong();
  private final ProcessClock clock =
      new ProcessClock(() -> Instant.EPOCH, () -> nowNs.addAndGet(1_000_000));
  private final MockConsumer<byte[], byte[]> consumer = new MockConsumer<>("earliest");
  private final Map<TopicPartition, List<ConsumerRecord<byte[], byte[]>>> log = new HashMap<>();

  private LogMerge merge() {
    return new LogMerge(TOPICS, consumer, clock, Duration.ofSeconds(10));
  }

  private void partition(String topic, int partition, long... appendedMs) {
    var of = new TopicPartition("run." + topic, partition);
    List<ConsumerRecord<byte[], byte[]>> records = new ArrayList<>();
    for (int i = 0; i < appendedMs.length; i++) {
      byte[] value = (topic + partition + "-" + i).getBytes(UTF_8);
      records.add(
          new ConsumerRecord<>(
              of.topic(),
              partition,
              i,
              appendedMs[i],
              TimestampType.LOG_APPEND_TIME,
              0,
              value.length,
              null,
              value,
              new RecordHeaders(),
              Optional.empty()));
    }
    log.put(of, records);
    consumer.updateBeginningOffsets(Map.of(of, 0L));
    consumer.updateEndOffsets(Map.of(of, (long) appendedMs.length));
  }

  private void partitionsAreKnown() {
    for (String topic : LogOrder.TOPICS) {
      List<PartitionInfo> infos =
          log.keySet().stream()
              .filter(of -> of.topic().equals("run." + topic))
              .map(of -> new PartitionInfo(of.topic(), of.partition(), null, new Node[0], null))
              .toList();
      if (!infos.isEmpty()) {
        consumer.updatePartitions("run." + topic, infos);
      }
    }
  }

  /** Gives a few records of one random partition at each poll, unless it is paused. */
  private void deliver(Random random, int recordsMax) {
    Map<TopicPartition, Integer> given = new HashMap<>();
    var more = new Runnable[1];
    more[0] =
        () -> {
          List<TopicPartition> open =
              consumer.assignment().stream().filter(of -> !consumer.paused().contains(of)).toList();
          if (!open.isEmpty()) {
            TopicPartition of = open.get(random.nextInt(open.size()));
            int from = given.getOrDefault(of, 0);
            int to = Math.min(log.get(of).size(), from + recordsMax);
            log.get(of).subList(from, to).forEach(consumer::addRecord);
            given.put(of, to);
          }
          consumer.schedulePollTask(more[0]);
        };
    consumer.schedulePollTask(more[0]);
  }

  private List<RecordedEntry> read() throws IOException {
    partitionsAreKnown();
    List<String> names = LogOrder.TOPICS.stream().filter(this::isThere).toList();
    List<RecordedEntry> read = new ArrayList<>();
    LogMerge merge = merge();
    merge.read(merge.whole(names), record -> read.add(merge.entry(record)));
    return read;
  }

  private boolean isThere(String topic) {
    return log.keySet().stream().anyMatch(of -> of.topic().equals("run." + topic));
  }

  private static List<String> texts(List<RecordedEntry> entries) {
    return entries.stream().map(entry -> new String(entry.value(), UTF_8)).toList();
  }

  @Test
  void recordsOfOneTime_comeByTopicAndPartition_andLaterOnesBehind() throws Exception {
    partition("outcomes", 0, 5, 7);
    partition("facts", 1, 5, 5);
    partition("facts", 0, 4, 6);
    partition("runs", 0, 5);
    deliver(new Random(1), 1);
    assertThat(texts(read()))
        .containsExactly(
            "facts0-0",
            "runs0-0",
            "facts1-0",
            "facts1-1",
            "outcomes0-0",
            "facts0-1",
            "outcomes0-1");
  }

  @Test
  void aClockThatStepsBack_tearsNoPartitionApart() throws Exception {
    partition("facts", 0, 10, 3, 4, 11);
    partition("dispatches", 0, 9, 10);
    deliver(new Random(1), 1);
    assertThat(texts(read()))
        .containsExactly(
            "dispatches0-0", "facts0-0", "facts0-1", "facts0-2", "dispatches0-1", "facts0-3");
  }

  @Property(tries = 100)
  void anyLog_comesInTheOrderOfARecording_andWhole(
      @ForAll long seed, @ForAll @IntRange(min = 1, max = 50) int recordsAtOnce) throws Exception {
    new LogMergeTest().readsInOrder(seed, recordsAtOnce); // each try has partitions of its own
  }

  private void readsInOrder(long seed, int recordsAtOnce) throws IOException {
    var random = new Random(seed);
    int all = 0;
    for (String topic : List.of("facts", "dispatches", "metrics")) {
      for (int partition = 0; partition < 2; partition++) {
        long[] times = random.longs(random.nextInt(200), 0, 50).toArray();
        all += times.length;
        partition(topic, partition, times);
      }
    }
    deliver(random, recordsAtOnce);
    var order = new LogOrder();
    List<RecordedEntry> read = read();
    assertThat(read).hasSize(all).allMatch(order::take);
  }

  @Test
  void aPartitionFarAhead_isPaused_soThatMemoryDoesNotGrow() throws Exception {
    partition("facts", 0, new Random(1).longs(30_000, 100, 200).toArray());
    partition("runs", 0, new Random(1).longs(30_000, 0, 50).toArray());
    partitionsAreKnown();
    Map<TopicPartition, Integer> given = new HashMap<>();
    var taken = new AtomicLong();
    var aheadMax = new AtomicLong();
    var more = new Runnable[1];
    more[0] =
        () -> {
          for (TopicPartition of : consumer.assignment()) {
            int share = of.topic().equals("run.facts") ? 1000 : 50;
            if (!consumer.paused().contains(of)) {
              int from = given.getOrDefault(of, 0);
              int to = Math.min(log.get(of).size(), from + share);
              log.get(of).subList(from, to).forEach(consumer::addRecord);
              given.put(of, to);
            }
          }
          long read = given.values().stream().mapToInt(count -> count).sum();
          aheadMax.accumulateAndGet(read - taken.get(), Math::max);
          consumer.schedulePollTask(more[0]);
        };
    consumer.schedulePollTask(more[0]);
    LogMerge merge = merge();
    merge.read(merge.whole(List.of("runs", "facts")), record -> taken.incrementAndGet());
    assertThat(taken.get()).isEqualTo(60_000);
    assertThat(aheadMax.get()).isLessThan(7_000);
  }

  @Test
  void offsets_boundWhatIsRead() throws Exception {
    partition("facts", 0, 1, 2, 3, 4, 5);
    partitionsAreKnown();
    var of = new TopicPartition("run.facts", 0);
    consumer.assign(List.of(of));
    log.get(of).forEach(consumer::addRecord);
    List<Long> offsets = new ArrayList<>();
    merge().read(Map.of(of, new Offsets(1, 4)), record -> offsets.add(record.offset()));
    assertThat(offsets).containsExactly(1L, 2L, 3L);
  }

  @Test
  void aBrokerThatGivesNothing_isGivenUp() {
    partition("facts", 0, 1, 2);
    assertThatThrownBy(this::read)
        .isInstanceOf(IllegalStateException.class)
        .hasMessage("the broker gave no record for (10) s");
  }

  @Test
  void aMissingTopic_isNamed() {
    assertThatThrownBy(() -> merge().whole(List.of("facts")))
        .hasMessage("topic run.facts does not exist");
  }

  @Test
  void aRecordWithoutAValue_isAnEntryWithoutBytes() {
    var record = new ConsumerRecord<byte[], byte[]>("run.facts", 2, 7, null, null);
    RecordedEntry entry = merge().entry(record);
    assertThat(entry.value()).isEmpty();
    assertThat(entry.topic() + entry.partition() + entry.offset()).isEqualTo("facts27");
  }
}
