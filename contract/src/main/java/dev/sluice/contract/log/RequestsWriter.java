package dev.sluice.contract.log;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.sluice.contract.file.OutputFile;
import java.io.Closeable;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Writes a recording of requests alone, as {@link RecordingWriter} writes one of a log. Not safe
 * for threads.
 */
public final class RequestsWriter implements Closeable {
  private static final JsonMapper JSON = new JsonMapper();
  private static final int NAME_LETTERS_MAX = LineWriter.LINE_BYTES_MAX / 32;

  private final LineWriter lines;
  private long records;
  private long lastNs;

  private RequestsWriter(LineWriter lines, RecordingHeader header) throws IOException {
    if (header.kind() != RecordingHeader.Kind.REQUESTS) {
      throw new IllegalArgumentException("requests have a header of kind requests");
    }
    this.lines = lines;
    byte[] head = (header.toJson() + "\n").getBytes(UTF_8);
    lines.put(head, head.length);
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
    byte[] line = line(request);
    lines.put(line, line.length);
    records++;
  }

  /** A request's line, line feed included. */
  static byte[] line(RecordedRequest request) throws IOException {
    Map<String, Object> fields = new LinkedHashMap<>();
    fields.put("intended_ns", request.intendedAtNs());
    put(fields, "class", request.classType());
    put(fields, "workload", request.workload());
    put(fields, "backend", request.backend());
    put(fields, "precision", request.precision());
    put(fields, "samples", request.samples());
    put(fields, "slo_ns", request.sloNs());
    return (JSON.writeValueAsString(fields) + "\n").getBytes(UTF_8);
  }

  private static void put(Map<String, Object> fields, String key, @Nullable String name) {
    if (name != null && name.length() > NAME_LETTERS_MAX) {
      throw new IllegalArgumentException("a name is too long (" + name.length() + " letters)");
    }
    if (name != null) {
      fields.put(key, name);
    }
  }

  private static void put(Map<String, Object> fields, String key, long number) {
    if (number > 0) {
      fields.put(key, number);
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
