package dev.sluice.scheduler.topology;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.scheduling.driver.CoreEntity;
import dev.sluice.scheduling.driver.CoreEntity.WaitingJob;
import dev.sluice.scheduling.policy.JobSpec;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.streams.StreamsConfig;
import org.apache.kafka.streams.processor.TaskId;
import org.apache.kafka.streams.processor.api.MockProcessorContext;
import org.apache.kafka.streams.state.KeyValueStore;
import org.apache.kafka.streams.state.Stores;
import org.junit.jupiter.api.Test;

/** What reaches the store of a shard's state, and when. */
final class SnapshotStoreTest {
  private static final SnapshotStore.Pace PACE = new SnapshotStore.Pace(1_000, 100);

  private final KeyValueStore<String, byte[]> inner = opened();
  private final SnapshotStore store = new SnapshotStore(inner, PACE);

  @Test
  void holdsNothing_beforeTheFirstFact() {
    assertThat(store.read()).isEqualTo(new SnapshotStore.Held(List.of(), null, -1, -1));
  }

  @Test
  void writesTheLastFactsOffsetAtTheCommit_andNothingForAFact() {
    for (int i = 0; i < 100; i++) {
      store.applied(i, 5);
    }
    assertThat(keys()).isEmpty();

    store.flushCache();
    assertThat(keys()).containsExactly("position");
    assertThat(store.read()).isEqualTo(new SnapshotStore.Held(List.of(), null, -1, 99));
  }

  @Test
  void isDue_onceTheFactsWeighFourTimesTheNextSnapshot() {
    store.applied(0, 999);
    assertThat(store.isDue(0)).isFalse();
    store.applied(1, 1);
    assertThat(store.isDue(0)).isTrue();
    assertThat(store.isDue(1)).isFalse();
    store.applied(2, 4 * 128_000);
    assertThat(store.isDue(1_000)).isTrue();
    assertThat(store.isDue(1_001)).isFalse();

    store.begin(null, jobs(3));
    assertThat(store.isDue(0)).isFalse();
  }

  @Test
  void usesASnapshotOnceItIsWhole_andTheEarlierOneUntilThen() {
    store.applied(10, 1);
    store.begin("the run", jobs(5));
    int facts = writeAll(11);
    assertThat(restarted()).isEqualTo(new SnapshotStore.Held(jobs(5), "the run", 10, 10 + facts));

    long next = 11 + facts;
    store.begin("the run", jobs(20));
    int chunks = 1;
    while (inner.get("1/0") != null) {
      store.flushCache();
      assertThat(restarted())
          .as("after %d chunks", chunks)
          .isEqualTo(new SnapshotStore.Held(jobs(5), "the run", 10, next - 1));
      store.applied(next++, 100);
      chunks++;
    }
    store.flushCache();
    assertThat(chunks).isGreaterThan(5);
    assertThat(restarted())
        .isEqualTo(new SnapshotStore.Held(jobs(20), "the run", 10 + facts, next - 1));
  }

  @Test
  void removesTheEarlierSnapshot_alsoOneThatWasNeverFinished() {
    store.begin(null, jobs(20));
    assertThat(keys()).containsExactly("1/0");

    var other = new SnapshotStore(inner, PACE);
    other.read();
    other.begin(null, jobs(2));
    other.applied(1, 1_000);
    assertThat(keys()).containsExactly("1/0", "1/1", "snapshot");
    other.begin(null, List.of());
    assertThat(keys()).containsExactly("snapshot");
    assertThat(other.read().entities()).isEmpty();
  }

  @Test
  void writesNoMoreOfASnapshot_thanTheFactsMeanwhileOutweigh() {
    store.begin(null, jobs(100));
    for (int i = 0; i < 50; i++) {
      store.applied(i, 2); // as much as one chunk, at two bytes of it for one of a fact
    }
    assertThat(keys()).hasSize(2);
  }

  @Test
  void refusesASnapshotThatIsNotWhole() {
    store.begin(null, jobs(20));
    writeAll(1);
    byte[] chunk = inner.get("1/2");
    assertThat(chunk).hasSize(100);

    chunk[50] ^= 1;
    inner.put("1/2", chunk);
    assertThatThrownBy(this::restarted)
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("CRC-32");

    inner.delete("1/2");
    assertThatThrownBy(this::restarted)
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("chunk (2)");
  }

  /** Applies large facts until the snapshot is in use, and commits; returns how many. */
  private int writeAll(long offset) {
    int facts = 0;
    while (inner.get("snapshot") == null) {
      store.applied(offset + facts++, 1_000);
    }
    store.flushCache();
    return facts;
  }

  /** What a process holds that goes on with what was written. */
  private SnapshotStore.Held restarted() {
    KeyValueStore<String, byte[]> copy = opened();
    try (var all = inner.all()) {
      all.forEachRemaining(entry -> copy.put(entry.key, entry.value.clone()));
    }
    return new SnapshotStore(copy, PACE).read();
  }

  private List<String> keys() {
    var keys = new TreeMap<String, byte[]>();
    try (var all = inner.all()) {
      all.forEachRemaining(entry -> keys.put(entry.key, entry.value));
    }
    return new ArrayList<>(keys.keySet());
  }

  private static KeyValueStore<String, byte[]> opened() {
    KeyValueStore<String, byte[]> store =
        Stores.keyValueStoreBuilder(
                Stores.inMemoryKeyValueStore("state"), Serdes.String(), Serdes.ByteArray())
            .withLoggingDisabled()
            .build();
    var settings = new Properties();
    settings.put(StreamsConfig.APPLICATION_ID_CONFIG, "state");
    var context = new MockProcessorContext<Integer, byte[]>(settings, new TaskId(0, 0), null);
    store.init(context.getStateStoreContext(), store);
    return store;
  }

  private static List<CoreEntity> jobs(int count) {
    return IntStream.range(0, count)
        .<CoreEntity>mapToObj(
            i ->
                new WaitingJob(
                    new JobSpec(
                        "own-job-" + i,
                        0,
                        i,
                        "batch",
                        "small",
                        "onnx",
                        "fp32",
                        1,
                        1,
                        1_000_000_000L,
                        0,
                        null),
                    i,
                    0,
                    0))
        .toList();
  }
}
