package dev.sluice.contract.log;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.sluice.contract.file.OutputFile;
import java.io.Closeable;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Path;

/**
 * Writes a recording. A file has a temporary name until {@link #finish}; a writer that is closed
 * before leaves no file. Not safe for threads.
 *
 * @param <R> records of a log, or requests
 */
public final class RecordingWriter<R> implements Closeable {
  private final LineWriter lines;
  private final RecordLines<R> form;
  private long records;

  private RecordingWriter(LineWriter lines, RecordLines<R> form, RecordingHeader header)
      throws IOException {
    if (header.kind() != form.kind()) {
      throw new IllegalArgumentException("the header is one of kind " + header.kind().text());
    }
    this.lines = lines;
    this.form = form;
    put((header.toJson() + "\n").getBytes(UTF_8));
  }

  /**
   * Begins the file of a log, as {@link OutputFile} does. What stands there is replaced by {@link
   * #finish}.
   */
  public static RecordingWriter<RecordedEntry> ofLog(Path file, RecordingHeader header)
      throws IOException {
    return new RecordingWriter<>(LineWriter.begin(file), new LogLines(), header);
  }

  /** Begins to write a log to a stream, which stays open. */
  public static RecordingWriter<RecordedEntry> ofLog(OutputStream stream, RecordingHeader header)
      throws IOException {
    return new RecordingWriter<>(LineWriter.begin(stream), new LogLines(), header);
  }

  /** Begins the file of requests, as {@link #ofLog(Path, RecordingHeader)} does that of a log. */
  public static RecordingWriter<RecordedRequest> ofRequests(Path file, RecordingHeader header)
      throws IOException {
    return new RecordingWriter<>(LineWriter.begin(file), new RequestLines(), header);
  }

  /** Begins to write requests to a stream, which stays open. */
  public static RecordingWriter<RecordedRequest> ofRequests(
      OutputStream stream, RecordingHeader header) throws IOException {
    return new RecordingWriter<>(LineWriter.begin(stream), new RequestLines(), header);
  }

  /**
   * Writes a record.
   *
   * @throws IllegalArgumentException if the record may not stand behind the one before
   * @throws IOException if the file cannot be written, or the record is too long for a line
   */
  public void write(R record) throws IOException {
    String misplaced = form.misplaced(record);
    if (misplaced != null) {
      throw new IllegalArgumentException(misplaced);
    }
    put(form.line(record));
    records++;
  }

  private void put(byte[] line) throws IOException {
    lines.put(line, line.length);
  }

  /** Number of records that have been written. */
  public long records() {
    return records;
  }

  /** Writes the trailer, and gives a file its name. */
  public void finish() throws IOException {
    lines.finish(records);
  }

  @Override
  public void close() throws IOException {
    lines.close();
  }
}
