package dev.sluice.analytics.log;

import dev.sluice.contract.event.BatchDispatched;
import dev.sluice.contract.event.Dispatch;
import dev.sluice.contract.event.LanePrepared;
import dev.sluice.contract.event.LogFold;
import dev.sluice.contract.log.EventCodec;
import dev.sluice.contract.log.Topics;
import dev.sluice.contract.log.UnreadableEventException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.PartitionInfo;
import org.apache.kafka.common.TopicPartition;

/** Partitions that make up a run, with the kind of their records. */
final class RunPartitions {
  private final Topics topics;

  /** Topics whose records a fold takes. */
  private final List<String> folded;

  RunPartitions(Topics topics) {
    this.topics = topics;
    this.folded = List.of(topics.runs(), topics.facts(), topics.dispatches(), topics.outcomes());
  }

  /** Asks the broker for every partition of the run, of which each topic must exist. */
  List<TopicPartition> find(Consumer<byte[], byte[]> consumer, Duration limit) {
    List<TopicPartition> partitions = new ArrayList<>();
    for (String topic : folded) {
      List<PartitionInfo> infos = consumer.partitionsFor(topic, limit);
      if (infos == null || infos.isEmpty()) {
        throw new IllegalStateException("topic " + topic + " does not exist");
      }
      infos.forEach(info -> partitions.add(new TopicPartition(topic, info.partition())));
    }
    return partitions;
  }

  /** Lets the consumer read the partitions from their beginning. */
  static void assign(Consumer<byte[], byte[]> consumer, List<TopicPartition> partitions) {
    consumer.assign(partitions);
    consumer.seekToBeginning(partitions);
  }

  /** Decodes a record and hands its event to the fold, which takes none of other topics. */
  void apply(LogFold to, ConsumerRecord<byte[], byte[]> entry) throws UnreadableEventException {
    String topic = entry.topic();
    if (!folded.contains(topic)) {
      return;
    }
    byte[] bytes = bytes(entry);
    if (topic.equals(topics.facts())) {
      to.onFact(EventCodec.FACTS.read(bytes), entry.partition(), entry.timestamp());
    } else if (topic.equals(topics.runs())) {
      to.onRunRecord(EventCodec.RUNS.read(bytes), entry.timestamp());
    } else if (topic.equals(topics.dispatches())) {
      Dispatch dispatch = EventCodec.DISPATCHES.read(bytes);
      if (dispatch instanceof BatchDispatched batch) {
        to.onDispatch(batch, entry.partition(), entry.timestamp());
      } else {
        to.onPrepared((LanePrepared) dispatch, entry.partition(), entry.timestamp());
      }
    } else {
      to.onOutcome(EventCodec.OUTCOMES.read(bytes), entry.partition(), entry.timestamp());
    }
  }

  /** Value of a record that must have one. */
  static byte[] bytes(ConsumerRecord<byte[], byte[]> entry) throws UnreadableEventException {
    if (entry.value() == null) {
      throw new UnreadableEventException("a record without a value is no event", null);
    }
    return entry.value();
  }
}
