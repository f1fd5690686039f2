package dev.sluice.contract.log;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.core.io.JsonStringEncoder;
import dev.sluice.contract.file.OutputFile;
import java.io.Closeable;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Writes a recording of requests alone, as {@link RecordingWriter} writes one of a log. Not safe
 * for threads.
 */
public final class RequestsWriter implements Closeable {
  private static final int NAMES_MAX = 4096;

  private final LineWriter lines;

  /** Names as JSON strings, so that each is quoted once; emptied when there are too many. */
  private final Map<String, byte[]> quoted = new HashMap<>();

  private long records;
  private long lastNs;

  private RequestsWriter(LineWriter lines, RecordingHeader header) throws IOException {
    if (header.kind() != RecordingHeader.Kind.REQUESTS) {
      throw new IllegalArgumentException("requests have a header of kind requests");
    }
    this.lines = lines;
    lines.put((header.toJson() + "\n").getBytes(UTF_8));
  }

  /**
   * Begins a file, as {@link OutputFile} does. What stands there is replaced by {@link #finish}.
   */
  public static RequestsWriter begin(Path file, RecordingHeader header) throws IOException {
    return new RequestsWriter(LineWriter.begin(file), header);
  }

  /** Begins to write to a stream, which stays open. */
  public static RequestsWriter begin(OutputStream stream, RecordingHeader header)
      throws IOException {
    return new RequestsWriter(LineWriter.begin(stream), header);
  }

  /**
   * Writes a request.
   *
   * @throws IllegalArgumentException if it was meant to arrive before the one before
   */
  public void write(RecordedRequest request) throws IOException {
    if (request.intendedAtNs() < lastNs) {
      throw new IllegalArgumentException(
          "a request comes too late: " + request.intendedAtNs() + " ns after " + lastNs);
    }
    lastNs = request.intendedAtNs();
    lines.put("{\"intended_ns\":" + lastNs);
    put(",\"class\":", request.classType());
    put(",\"workload\":", request.workload());
    put(",\"backend\":", request.backend());
    put(",\"precision\":", request.precision());
    put(",\"samples\":", request.samples());
    put(",\"slo_ns\":", request.sloNs());
    lines.put("}\n");
    records++;
  }

  private void put(String key, @Nullable String name) throws IOException {
    if (name == null) {
      return;
    }
    if (quoted.size() > NAMES_MAX) {
      quoted.clear();
    }
    lines.put(key);
    lines.put(quoted.computeIfAbsent(name, RequestsWriter::quote));
  }

  private static byte[] quote(String name) {
    byte[] inside = JsonStringEncoder.getInstance().quoteAsUTF8(name);
    if (inside.length > LineWriter.LINE_BYTES_MAX / 8) {
      throw new IllegalArgumentException("a name is too long (" + inside.length + " bytes)");
    }
    byte[] all = new byte[inside.length + 2];
    all[0] = '"';
    System.arraycopy(inside, 0, all, 1, inside.length);
    all[all.length - 1] = '"';
    return all;
  }

  private void put(String key, long number) throws IOException {
    if (number > 0) {
      lines.put(key);
      lines.put(number);
    }
  }

  /** Number of requests that have been written. */
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
