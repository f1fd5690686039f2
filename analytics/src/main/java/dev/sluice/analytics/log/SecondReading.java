package dev.sluice.analytics.log;

import dev.sluice.analytics.fold.RunFold;
import dev.sluice.contract.codec.UnreadableEventException;
import dev.sluice.contract.log.LogMerge;
import dev.sluice.contract.log.LogOrder;
import dev.sluice.contract.log.Topics;
import dev.sluice.contract.time.ProcessClock;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.List;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;

/**
 * Second reading of a run's topics, from their beginning to their present end, into rows and, where
 * one is wanted, into a recording.
 */
final class SecondReading {
  /** Topics without the run's prefix that rows are made of. */
  private static final List<String> FOLDED = List.of("runs", "facts", "dispatches", "outcomes");

  private final Topics topics;
  private final RunPartitions run;
  private final ProcessClock clock;

  /** Prepares a reading of a run. */
  SecondReading(Topics topics, ProcessClock clock) {
    this.topics = topics;
    this.run = new RunPartitions(topics);
    this.clock = clock;
  }

  /**
   * Reads all records that the log holds by now.
   *
   * @param limit longest time without any record
   * @param recording takes every record, and is finished; null: none is made
   * @throws IllegalStateException if the broker gives none in that time
   */
  RunFold read(
      Consumer<byte[], byte[]> consumer, Duration limit, @Nullable RunRecording recording) {
    var whole = new RunFold();
    var merge = new LogMerge(topics, consumer, clock, limit);
    List<String> names = recording == null ? FOLDED : LogOrder.TOPICS;
    try {
      merge.read(
          merge.whole(names),
          record -> {
            if (recording != null) {
              recording.take(merge.entry(record));
            }
            apply(whole, record);
          });
    } catch (IOException e) {
      throw new UncheckedIOException("nothing here writes", e);
    }
    if (recording != null) {
      recording.finish();
    }
    return whole;
  }

  private void apply(RunFold whole, ConsumerRecord<byte[], byte[]> record) {
    try {
      if (run.isFolded(record.topic())) {
        run.apply(whole, record);
      }
    } catch (UnreadableEventException e) {
      whole.countUnreadable(record.topic());
    }
  }
}
