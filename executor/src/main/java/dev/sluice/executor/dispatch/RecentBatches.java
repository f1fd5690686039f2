package dev.sluice.executor.dispatch;

import dev.sluice.contract.event.BatchCompleted;
import dev.sluice.contract.event.BatchDispatched;
import dev.sluice.contract.event.ExecutorReported;
import dev.sluice.contract.event.Fact;
import dev.sluice.contract.event.PredictionsPublished;
import dev.sluice.contract.log.EventCodec;
import dev.sluice.contract.log.LogClients;
import dev.sluice.contract.log.Reading;
import dev.sluice.contract.log.TopicReader;
import dev.sluice.contract.log.Topics;
import dev.sluice.contract.value.DispatchId;
import dev.sluice.executor.latency.Retraining.Measured;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/**
 * Service times on one kind of device, from a shard's log: the newest batches that succeeded, the
 * table that is in force, and the executors of that kind that are present. Facts are read before
 * dispatches, so that only the dispatches of batches that count are kept.
 */
public final class RecentBatches {
  /** Number of the newest batches that count. */
  static final int BATCHES_MAX = 2000;

  /** Number of the newest records of each topic that are read to find these batches. */
  static final long RECORDS_MAX = 100_000;

  private final String deviceKind;
  private final Map<String, String> kindByExecutor = new HashMap<>();
  private final TreeSet<String> executors = new TreeSet<>();
  private final Deque<BatchCompleted> completed = new ArrayDeque<>();
  private final Map<DispatchId, BatchCompleted> awaited = new HashMap<>();
  private final List<Measured> measured = new ArrayList<>();
  private @Nullable PredictionsPublished table;

  RecentBatches(String deviceKind) {
    this.deviceKind = deviceKind;
  }

  /**
   * Reads the shard's topics to where they end now.
   *
   * @param wholeFacts whether to read the facts from their beginning, to find a table that was
   *     published long ago
   */
  public static RecentBatches read(
      Topics topics, int shard, LogClients kafka, String deviceKind, boolean wholeFacts) {
    var recent = new RecentBatches(deviceKind);
    try (var reader = TopicReader.open(kafka, Reading.UNCOMMITTED)) {
      reader.readNewest(
          new TopicPartition(topics.facts(), shard),
          wholeFacts ? Long.MAX_VALUE : RECORDS_MAX,
          record -> recent.take(EventCodec.FACTS, record));
      reader.readNewest(
          new TopicPartition(topics.dispatches(), shard),
          RECORDS_MAX,
          record -> recent.take(EventCodec.DISPATCHES, record));
    }
    return recent;
  }

  private void take(EventCodec<?> codec, ConsumerRecord<byte[], byte[]> record) {
    Object event = codec.find(record.value()).orElse(null); // else its own reader puts it aside
    if (event instanceof Fact fact) {
      take(fact);
    } else if (event instanceof BatchDispatched batch) {
      take(batch);
    }
  }

  void take(Fact fact) {
    if (fact instanceof ExecutorReported report) {
      kindByExecutor.put(report.executorId(), report.deviceKind());
      if (report.leaving() || !report.deviceKind().equals(deviceKind)) {
        executors.remove(report.executorId());
      } else {
        executors.add(report.executorId());
      }
    } else if (fact instanceof PredictionsPublished published) {
      if (published.deviceKind().equals(deviceKind)
          && (table == null || published.tableVersion() > table.tableVersion())) {
        table = published;
      }
    } else if (fact instanceof BatchCompleted batch
        && batch.result() == BatchCompleted.Result.DONE
        && batch.busyLanes() != null
        && batch.serviceNs() > 0
        && deviceKind.equals(kindByExecutor.get(batch.executorId()))) {
      completed.addLast(batch);
      awaited.put(batch.dispatchId(), batch);
      if (completed.size() > BATCHES_MAX) {
        awaited.remove(completed.removeFirst().dispatchId());
      }
    }
  }

  void take(BatchDispatched dispatch) {
    BatchCompleted batch = awaited.remove(dispatch.dispatchId());
    if (batch != null && batch.busyLanes() != null && batch.startedAtNs() != null) {
      measured.add(
          new Measured(
              dispatch.work().model(),
              dispatch.work().samples(),
              batch.busyLanes(),
              batch.startedAtNs(),
              batch.serviceNs()));
    }
  }

  public List<Measured> measured() {
    return List.copyOf(measured);
  }

  public @Nullable PredictionsPublished table() {
    return table;
  }

  public List<String> executors() {
    return List.copyOf(executors);
  }
}
