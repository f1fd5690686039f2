package dev.sluice.analytics.log;

import dev.sluice.contract.log.RecordedEntry;
import dev.sluice.contract.log.RecordingHeader;
import dev.sluice.contract.log.RecordingWriter;
import java.io.IOException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Recording that a run leaves beside its other files. A run is whole without it: where it cannot be
 * written, what was written goes, the failure is kept, and nothing is thrown. Not safe for threads.
 */
public final class RunRecording implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(RunRecording.class);

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
