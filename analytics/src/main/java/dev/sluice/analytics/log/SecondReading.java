package dev.sluice.analytics.log;

import dev.sluice.analytics.fold.RunFold;
import dev.sluice.contract.codec.UnreadableEventException;
import dev.sluice.contract.log.TopicReader;
import dev.sluice.contract.time.ProcessClock;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;

/** Second reading of a run's topics, from their beginning to their present end, into rows. */
final class SecondReading {
  private final RunPartitions run;
  private final ProcessClock clock;

  SecondReading(RunPartitions run, ProcessClock clock) {
    this.run = run;
    this.clock = clock;
  }

  /**
   * Reads all records that the log holds by now.
   *
   * @param limit longest time without any record
   * @throws IllegalStateException if the broker gives none in that time
   */
  RunFold read(Consumer<byte[], byte[]> consumer, Duration limit) {
    var whole = new RunFold();
    List<TopicPartition> partitions = run.find(consumer, limit);
    RunPartitions.assign(consumer, partitions);
    Map<TopicPartition, Long> ends = consumer.endOffsets(partitions, limit);
    long lastNs = clock.monotonicNs();
    while (!TopicReader.hasReadTo(ends, consumer)) {
      var records = consumer.poll(ReaderClients.POLL);
      for (ConsumerRecord<byte[], byte[]> entry : records) {
        try {
          run.apply(whole, entry);
        } catch (UnreadableEventException e) {
          whole.countUnreadable(entry.topic());
        }
      }
      lastNs = records.isEmpty() ? lastNs : clock.monotonicNs();
      if (clock.monotonicNs() - lastNs > limit.toNanos()) {
        throw new IllegalStateException(
            "the broker gave no record for (" + limit.toSeconds() + ") s");
      }
    }
    return whole;
  }
}
