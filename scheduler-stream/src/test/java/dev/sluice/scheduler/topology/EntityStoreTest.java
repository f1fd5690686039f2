package dev.sluice.scheduler.topology;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.scheduling.fact.CoreEntity;
import dev.sluice.scheduling.fact.CoreEntity.WaitingJob;
import dev.sluice.scheduling.job.JobSpec;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import java.util.stream.IntStream;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.streams.StreamsConfig;
import org.apache.kafka.streams.processor.TaskId;
import org.apache.kafka.streams.processor.api.MockProcessorContext;
import org.apache.kafka.streams.state.KeyValueStore;
import org.apache.kafka.streams.state.Stores;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The entities of the core that reach the store, and when they do. */
final class EntityStoreTest {
  private final KeyValueStore<String, byte[]> inner =
      Stores.keyValueStoreBuilder(
              Stores.inMemoryKeyValueStore("entities"), Serdes.String(), Serdes.ByteArray())
          .withLoggingDisabled()
          .build();
  private final EntityStore store = new EntityStore(inner);

  @BeforeEach
  void open() {
    var settings = new Properties();
    settings.put(StreamsConfig.APPLICATION_ID_CONFIG, "entities");
    var context = new MockProcessorContext<Integer, byte[]>(settings, new TaskId(0, 0), null);
    store.init(context.getStateStoreContext(), store);
    assertThat(store.entities()).isEmpty();
  }

  @Test
  void writesAtTheCommit_notBefore() {
    store.put(job(1));
    store.writeOldest();
    assertThat(keys()).isEmpty();

    store.flushCache();
    assertThat(keys()).containsExactly("job/job-1");
    assertThat(store.entities()).containsExactly(job(1));
  }

  @Test
  void writesNothing_ofAJobThatCameAndWentBetweenTwoCommits() {
    store.put(job(1));
    store.remove(job(1).key());
    store.flushCache();
    assertThat(keys()).isEmpty();
  }

  @Test
  void removesWhatAnEarlierCommitWrote_alsoAfterARestart() {
    store.put(job(1));
    store.put(job(2));
    store.flushCache();
    store.remove(job(1).key());
    store.flushCache();
    assertThat(keys()).containsExactly("job/job-2");

    var restarted = new EntityStore(inner);
    assertThat(restarted.entities()).containsExactly(job(2));
    restarted.remove(job(2).key());
    restarted.flushCache();
    assertThat(keys()).isEmpty();
  }

  @Test
  void writesTheOldest_soThatACommitHasLittleToDo() {
    for (int i = 0; i < 1_000; i++) {
      store.put(job(i));
      store.writeOldest();
    }
    assertThat(keys()).hasSizeBetween(700, 800).contains("job/job-0").doesNotContain("job/job-999");

    store.flushCache();
    assertThat(keys()).hasSize(1_000);
    assertThat(store.entities())
        .containsExactlyInAnyOrderElementsOf(
            IntStream.range(0, 1_000).<CoreEntity>mapToObj(EntityStoreTest::job).toList());
  }

  @Test
  void keepsTheRun_besideTheEntities() {
    assertThat(store.run()).isNull();
    store.putRun(new byte[] {1});
    assertThat(store.run()).containsExactly(1);
    assertThat(store.entities()).isEmpty();
  }

  private List<String> keys() {
    List<String> keys = new ArrayList<>();
    try (var all = inner.all()) {
      all.forEachRemaining(entry -> keys.add(entry.key));
    }
    return keys;
  }

  private static WaitingJob job(int index) {
    return new WaitingJob(
        new JobSpec(
            "job-" + index, 0, index, "batch", "small", "onnx", "fp32", 1, 1, 1_000_000_000L, 0),
        index,
        0,
        0);
  }
}
