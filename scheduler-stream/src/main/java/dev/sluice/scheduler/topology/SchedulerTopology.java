package dev.sluice.scheduler.topology;

import dev.sluice.contract.log.Topics;
import dev.sluice.scheduler.topology.SchedulerProcessor.FactLog;
import dev.sluice.scheduler.topology.SchedulerProcessor.WakeUps;
import dev.sluice.scheduling.core.SchedulingCore;
import dev.sluice.scheduling.driver.CoreSettings;
import dev.sluice.scheduling.policy.SchedulingPolicy;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.serialization.Serializer;
import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.processor.StreamPartitioner;

/** The one topology: {@code facts} in, {@code dispatches} and {@code outcomes} out. */
final class SchedulerTopology {
  static final String FACTS = "facts";
  static final String SCHEDULER = "scheduler";
  static final String STORE = "state";
  static final String DISPATCHES = "dispatches";
  static final String OUTCOMES = "outcomes";
  static final String DEAD_LETTERS = "dead-letters";

  /** The key carries the shard to the sinks only, and is not written to topics. */
  private static final Serializer<Integer> NO_KEY = (topic, shard) -> null;

  private static final StreamPartitioner<Integer, byte[]> BY_SHARD =
      (topic, shard, value, partitions) -> Optional.of(Set.of(shard));

  private SchedulerTopology() {}

  /**
   * Builds the topology, with a policy for each shard, and facts to be read again at a takeover.
   */
  static Topology build(
      Topics topics,
      CoreSettings settings,
      Supplier<SchedulingPolicy> policies,
      WakeUps wakeUps,
      OwnShards shards,
      FactLog facts,
      SnapshotStore.Pace pace) {
    var bytes = new ByteArraySerializer();
    return new Topology()
        .addSource(FACTS, new ByteArrayDeserializer(), new ByteArrayDeserializer(), topics.facts())
        .addProcessor(
            SCHEDULER,
            () ->
                new SchedulerProcessor(
                    entities -> SchedulingCore.restore(settings, policies.get(), entities),
                    wakeUps,
                    shards,
                    facts),
            FACTS)
        .addStateStore(SnapshotStore.builder(STORE, pace), SCHEDULER)
        .addSink(DISPATCHES, topics.dispatches(), NO_KEY, bytes, BY_SHARD, SCHEDULER)
        .addSink(OUTCOMES, topics.outcomes(), NO_KEY, bytes, BY_SHARD, SCHEDULER)
        .addSink(DEAD_LETTERS, topics.deadLetters(), NO_KEY, bytes, SCHEDULER);
  }
}
