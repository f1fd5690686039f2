package dev.sluice.scheduler.topology;

import dev.sluice.contract.log.EventCodec;
import dev.sluice.scheduler.topology.SchedulerProcessor.FactLog;
import dev.sluice.scheduling.core.SchedulingCore;
import dev.sluice.scheduling.policies.Policies;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.TreeMap;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.streams.StreamsConfig;
import org.apache.kafka.streams.processor.TaskId;
import org.apache.kafka.streams.processor.api.MockProcessorContext;
import org.apache.kafka.streams.processor.api.MockProcessorContext.CapturedForward;
import org.apache.kafka.streams.processor.api.Record;
import org.apache.kafka.streams.state.KeyValueStore;
import org.apache.kafka.streams.state.Stores;

/**
 * One process's scheduler of a recorded shard, without Kafka: it goes on from a committed state.
 */
final class ShardProcess {
  private final RecordedRun run;
  private final MockProcessorContext<Integer, byte[]> context =
      new MockProcessorContext<>(settings(), new TaskId(0, 0), null);
  private final KeyValueStore<String, byte[]> inner =
      Stores.keyValueStoreBuilder(
              Stores.inMemoryKeyValueStore(SchedulerStream.STORE),
              Serdes.String(),
              Serdes.ByteArray())
          .withLoggingDisabled()
          .build();
  private final SnapshotStore store;
  private final SchedulerProcessor processor;

  /** Begins with a committed state, which is empty before the first commit. */
  ShardProcess(
      RecordedRun run, String policy, SnapshotStore.Pace pace, Map<String, byte[]> committed) {
    this.run = run;
    inner.init(context.getStateStoreContext(), inner);
    committed.forEach(inner::put);
    store = new SnapshotStore(inner, pace);
    context.addStateStore(store);
    processor =
        new SchedulerProcessor(
            entities ->
                SchedulingCore.restore(run.settings(), Policies.create(policy, Map.of()), entities),
            new RecordingWakeUps(),
            new OwnShards(shard -> {}, () -> {}),
            log(run));
    processor.init(context);
  }

  /** A recorded run's facts, to be read once more. */
  static FactLog log(RecordedRun run) {
    return (shard, from, to, reader) -> {
      for (long offset = from; offset <= to; offset++) {
        var dated = run.facts().get((int) offset);
        reader.fact(offset, dated.appendedAtEpochMs(), EventCodec.FACTS.write(dated.fact()));
      }
    };
  }

  /** Processes the fact at an offset, and returns what it forwards. */
  List<CapturedForward<? extends Integer, ? extends byte[]>> process(int offset) {
    var dated = run.facts().get(offset);
    context.setRecordMetadata("recorded.facts", 0, offset);
    processor.process(
        new Record<>(new byte[0], EventCodec.FACTS.write(dated.fact()), dated.appendedAtEpochMs()));
    var forwarded = List.copyOf(context.forwarded());
    context.resetForwards();
    return forwarded;
  }

  /** Commits, and returns the committed state. */
  Map<String, byte[]> commit() {
    store.flushCache();
    Map<String, byte[]> committed = new TreeMap<>();
    try (var all = inner.all()) {
      all.forEachRemaining(entry -> committed.put(entry.key, entry.value));
    }
    return committed;
  }

  private static Properties settings() {
    var settings = new Properties();
    settings.put(StreamsConfig.APPLICATION_ID_CONFIG, "recorded.scheduler");
    return settings;
  }
}
