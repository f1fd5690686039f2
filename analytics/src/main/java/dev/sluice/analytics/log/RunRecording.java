package dev.sluice.analytics.log;

import dev.sluice.contract.event.LogFold;
import dev.sluice.contract.log.LogMerge;
import dev.sluice.contract.log.LogOrder;
import dev.sluice.contract.log.RecordedEntry;
import dev.sluice.contract.log.RecordingHeader;
import dev.sluice.contract.log.RecordingWriter;
import dev.sluice.contract.log.Topics;
import dev.sluice.contract.log.UnreadableEventException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Recording that a run leaves beside its other files. A run is whole without it: where it cannot be
 * written, what was written goes, the failure is kept, and nothing is thrown. Not safe for threads.
 */
public final class RunRecording implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(RunRecording.class);

  /** Topics without the run's prefix that rows are made of. */
  static final List<String> FOLDED = List.of("runs", "facts", "dispatches", "outcomes");

  private @Nullable RecordingWriter<RecordedEntry> writer;
  private @Nullable IOException failure;

  /** Begins a recording, which has its name once it is finished. */
  public RunRecording(Path file, RecordingHeader header) {
    try {
      writer = RecordingWriter.ofLog(file, header);
    } catch (IOException e) {
      fail(e);
    }
  }

  /**
   * Reads all records that a run's topics hold by now.
   *
   * @param fold takes the records of the topics of which rows are made
   * @param unreadable takes those of them that are no event
   * @param recording takes every record of the run's topics, and is finished; null: none is made
   */
  public static void readWhole(
      Topics topics,
      LogMerge merge,
      LogFold fold,
      Consumer<ConsumerRecord<byte[], byte[]>> unreadable,
      @Nullable RunRecording recording)
      throws IOException {
    merge.read(
        merge.whole(recording == null ? FOLDED : LogOrder.TOPICS),
        record -> {
          if (recording != null) {
            recording.take(merge.entry(record));
          }
          if (List.of(topics.metrics(), topics.deadLetters()).contains(record.topic())) {
            return; // which are recorded, and no fold takes
          }
          try {
            LogEvent.of(topics, record).applyTo(fold);
          } catch (UnreadableEventException e) {
            unreadable.accept(record);
          }
        });
    if (recording != null) {
      recording.finish();
    }
  }

  public void take(RecordedEntry entry) {
    RecordingWriter<RecordedEntry> to = writer;
    if (to != null) {
      try {
        to.write(entry);
      } catch (IOException e) {
        fail(e);
      }
    }
  }

  /** Finishes the file, unless it could not be written. */
  public void finish() {
    RecordingWriter<RecordedEntry> to = writer;
    if (to != null) {
      try {
        to.finish();
      } catch (IOException e) {
        fail(e);
      }
    }
  }

  /** What kept the file from being written; null: nothing. */
  public @Nullable IOException failure() {
    return failure;
  }

  private void fail(IOException e) {
    LOG.error("the run's log cannot be recorded", e);
    failure = e;
    close();
  }

  @Override
  public void close() {
    RecordingWriter<RecordedEntry> to = writer;
    writer = null;
    if (to != null) {
      try {
        to.close();
      } catch (IOException e) {
        LOG.warn("an unfinished recording stays behind", e);
      }
    }
  }
}
