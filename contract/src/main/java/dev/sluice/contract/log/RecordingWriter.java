package dev.sluice.contract.log;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.sluice.contract.file.OutputFile;
import dev.sluice.contract.file.Sha256;
import java.io.Closeable;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.zip.GZIPOutputStream;
import org.jspecify.annotations.Nullable;

/**
 * Writes a recording. A file has a temporary name until {@link #finish}; a writer that is closed
 * before leaves no file. Not safe for threads.
 *
 * @param <R> records of a log, or requests
 */
public final class RecordingWriter<R> implements Closeable {
  /** Longest line, line feed included, that is written and read. */
  static final int LINE_BYTES_MAX = 16 << 20;

  private static final int BUFFER_BYTES = 1 << 16;

  /** File that is written; null: a stream of the caller's. */
  private final @Nullable OutputFile file;

  private final OutputStream target;
  private final RecordLines<R> form;
  private final Gzip gzip;
  private final MessageDigest sha256 = Sha256.begin();
  private long records;

  /** Gzip whose level can be chosen, and which can be given up without a trailer. */
  private static final class Gzip extends GZIPOutputStream {
    /**
     * Level of compression. Level 1 takes a third of the time of the default one, for files that
     * are about a quarter larger.
     */
    private static final int LEVEL = 1;

    Gzip(OutputStream target) throws IOException {
      super(target, BUFFER_BYTES);
      def.setLevel(LEVEL);
    }

    void free() {
      def.end();
    }
  }

  private RecordingWriter(
      @Nullable OutputFile file, OutputStream target, RecordLines<R> form, RecordingHeader header)
      throws IOException {
    if (header.kind() != form.kind) {
      throw new IllegalArgumentException("the header is one of kind " + header.kind().text());
    }
    this.file = file;
    this.target = target;
    this.form = form;
    gzip = new Gzip(target);
    put((header.toJson() + "\n").getBytes(UTF_8));
  }

  /**
   * Begins the file of a log, as {@link OutputFile} does. What stands there is replaced by {@link
   * #finish}.
   */
  public static RecordingWriter<RecordedEntry> ofLog(Path file, RecordingHeader header)
      throws IOException {
    return begin(file, new RecordLines.OfLog(), header);
  }

  /** Begins to write a log to a stream, which stays open. */
  public static RecordingWriter<RecordedEntry> ofLog(OutputStream stream, RecordingHeader header)
      throws IOException {
    return new RecordingWriter<>(null, stream, new RecordLines.OfLog(), header);
  }

  /** Begins the file of requests, as {@link #ofLog(Path, RecordingHeader)} does that of a log. */
  public static RecordingWriter<RecordedRequest> ofRequests(Path file, RecordingHeader header)
      throws IOException {
    return begin(file, new RecordLines.OfRequests(), header);
  }

  /** Begins to write requests to a stream, which stays open. */
  public static RecordingWriter<RecordedRequest> ofRequests(
      OutputStream stream, RecordingHeader header) throws IOException {
    return new RecordingWriter<>(null, stream, new RecordLines.OfRequests(), header);
  }

  private static <R> RecordingWriter<R> begin(
      Path file, RecordLines<R> form, RecordingHeader header) throws IOException {
    OutputFile output = OutputFile.begin(file);
    try {
      return new RecordingWriter<>(output, output.stream(), form, header);
    } catch (IOException e) {
      output.close();
      throw e;
    }
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
    sha256.update(line);
    gzip.write(line);
  }

  public long records() {
    return records;
  }

  /** Writes the trailer, and gives a file its name. */
  public void finish() throws IOException {
    gzip.write(trailer(records, HexFormat.of().formatHex(sha256.digest())).getBytes(UTF_8));
    gzip.finish();
    target.flush();
    if (file != null) {
      file.finish();
    }
  }

  /** The last line: number of lines behind the header, and digest of all lines before it. */
  static String trailer(long records, String sha256) {
    return "{\"records\":" + records + ",\"sha256\":\"" + sha256 + "\"}\n";
  }

  /** Frees what the writer holds; an unfinished file is removed. */
  @Override
  public void close() throws IOException {
    gzip.free();
    if (file != null) {
      file.close();
    }
  }
}
