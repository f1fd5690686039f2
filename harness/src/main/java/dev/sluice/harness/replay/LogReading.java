package dev.sluice.harness.replay;

import dev.sluice.contract.file.UserMistakeException;
import dev.sluice.contract.log.RecordedEntry;
import dev.sluice.contract.log.RecordingHeader;
import dev.sluice.contract.log.RecordingReader;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import org.jspecify.annotations.Nullable;

/**
 * A recording, read by a thread of its own, so that a core works beside it. To unpack, check and
 * prove its lines costs as much as to decode and apply them. Its memory does not grow with the
 * recording.
 */
public final class LogReading implements AutoCloseable {
  private static final int BATCH = 256;
  private static final int BATCHES_AHEAD = 16;

  private final RecordingReader reader;
  private final BlockingQueue<Batch> batches = new ArrayBlockingQueue<>(BATCHES_AHEAD);
  private final Thread thread;
  private volatile boolean closed;

  /** Takes records in their order. */
  @FunctionalInterface
  public interface Sink {
    /** Takes a record, and returns whether to go on. */
    boolean take(RecordedEntry record) throws UserMistakeException;
  }

  /**
   * Records, or the end of the reading.
   *
   * @param failure why the reading ended; null: it did not, or it came to the recording's end
   */
  private record Batch(List<RecordedEntry> records, boolean last, @Nullable Exception failure) {}

  private LogReading(RecordingReader reader) {
    this.reader = reader;
    this.thread = new Thread(this::readAll, "recording");
    thread.setDaemon(true);
  }

  /** Opens a recording; it is read from {@link #read} on. */
  public static LogReading open(Path file, boolean salvage) throws UserMistakeException {
    return new LogReading(RecordingReader.open(file, salvage));
  }

  /** Returns the recording's header. */
  public RecordingHeader header() {
    return reader.header();
  }

  /**
   * Reads records until the sink wants no more, or to the end.
   *
   * @return what was not taken from a recording that was cut short, in words; null: it is whole, or
   *     the sink ended the reading
   */
  public @Nullable String read(Sink sink) throws UserMistakeException, InterruptedException {
    thread.start();
    while (true) {
      Batch batch = batches.take();
      for (RecordedEntry record : batch.records()) {
        if (!sink.take(record)) {
          return null;
        }
      }
      if (batch.failure() instanceof UserMistakeException mistake) {
        throw mistake;
      }
      if (batch.failure() instanceof RuntimeException bug) {
        throw bug;
      }
      if (batch.last()) {
        return reader.loss();
      }
    }
  }

  private void readAll() {
    Exception failure = null;
    List<RecordedEntry> records = new ArrayList<>(BATCH);
    try {
      for (RecordedEntry entry = reader.next(); entry != null && !closed; entry = reader.next()) {
        records.add(entry);
        if (records.size() == BATCH) {
          put(new Batch(records, false, null));
          records = new ArrayList<>(BATCH);
        }
      }
    } catch (UserMistakeException | RuntimeException e) {
      failure = e;
    }
    put(new Batch(records, true, failure));
  }

  /** Hands a batch over, unless nobody reads on. */
  private void put(Batch batch) {
    if (closed) {
      return;
    }
    try {
      batches.put(batch);
    } catch (InterruptedException e) {
      closed = true;
    }
  }

  @Override
  public void close() throws InterruptedException {
    closed = true;
    thread.interrupt();
    thread.join();
    reader.close();
  }
}
