package dev.sluice.analytics.log;

import dev.sluice.analytics.fold.WindowSums;
import dev.sluice.contract.codec.EventCodec;
import dev.sluice.contract.codec.UnreadableEventException;
import dev.sluice.contract.event.MetricsWindow;
import dev.sluice.contract.event.RunDescribed;
import dev.sluice.contract.event.RunSummarized;
import dev.sluice.contract.event.WindowRecord;
import dev.sluice.contract.log.Topics;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What earlier processes of analytics wrote to topic {@code metrics}.
 *
 * @param described true if the run's description is there
 * @param summarized true if the run's summary is there
 * @param sums sums of all windows
 */
record WrittenMetrics(boolean described, boolean summarized, WindowSums sums) {
  private static final Logger LOG = LoggerFactory.getLogger(WrittenMetrics.class);

  /**
   * Reads the topic to its present end. Records of types that this build does not know are skipped.
   *
   * @param closing true if the reading shall end early
   */
  static WrittenMetrics read(
      Consumer<byte[], byte[]> consumer, Topics topics, BooleanSupplier closing) {
    var partition = new TopicPartition(topics.metrics(), 0);
    consumer.assign(List.of(partition));
    consumer.seekToBeginning(List.of(partition));
    long end = consumer.endOffsets(List.of(partition)).getOrDefault(partition, 0L);
    boolean described = false;
    boolean summarized = false;
    var sums = new WindowSums();
    while (!closing.getAsBoolean() && consumer.position(partition) < end) {
      for (ConsumerRecord<byte[], byte[]> entry : consumer.poll(ReaderClients.POLL)) {
        try {
          WindowRecord record = EventCodec.METRICS.read(RunPartitions.bytes(entry));
          described |= record instanceof RunDescribed;
          summarized |= record instanceof RunSummarized;
          if (record instanceof MetricsWindow window) {
            sums.add(window);
          }
        } catch (UnreadableEventException e) {
          LOG.info("offset {} of metrics is of another version: {}", entry.offset(), e.toString());
        }
      }
    }
    return new WrittenMetrics(described, summarized, sums);
  }
}
