package dev.sluice.contract.log;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import dev.sluice.contract.file.OutputFile;
import java.io.ByteArrayOutputStream;
import java.io.Closeable;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Base64;

/**
 * Writes the recording of a log. A file has a temporary name until {@link #finish}; a writer that
 * is closed before leaves no file. Not safe for threads.
 */
public final class RecordingWriter implements Closeable {
  private static final JsonFactory JSON = new JsonFactory();

  private final LineWriter lines;
  private final LogOrder order = new LogOrder();
  private final ByteArrayOutputStream line = new ByteArrayOutputStream();
  private long records;

  private RecordingWriter(LineWriter lines, RecordingHeader header) throws IOException {
    if (header.kind() != RecordingHeader.Kind.LOG) {
      throw new IllegalArgumentException("a log has a header of kind log");
    }
    this.lines = lines;
    byte[] head = (header.toJson() + "\n").getBytes(UTF_8);
    lines.put(head, head.length);
  }

  /**
   * Begins a file, as {@link OutputFile} does. What stands there is replaced by {@link #finish}.
   */
  public static RecordingWriter begin(Path file, RecordingHeader header) throws IOException {
    return new RecordingWriter(LineWriter.begin(file), header);
  }

  /** Begins to write to a stream, which stays open. */
  public static RecordingWriter begin(OutputStream stream, RecordingHeader header)
      throws IOException {
    return new RecordingWriter(LineWriter.begin(stream), header);
  }

  /**
   * Writes a record.
   *
   * @throws IllegalArgumentException unless the record may stand behind the one before, see {@link
   *     LogOrder}
   * @throws IOException if the file cannot be written, or the record is too long for a line
   */
  public void write(RecordedEntry entry) throws IOException {
    if (!order.take(entry)) {
      throw new IllegalArgumentException(
          "a record of a log comes too late: "
              + entry.topic()
              + "/"
              + entry.partition()
              + " at "
              + entry.offset());
    }
    byte[] value = entry.value();
    boolean isEvent = isJsonObjectOnOneLine(value);
    byte[] text = isEvent ? value : Base64.getEncoder().encode(value);
    if (text.length > LineWriter.LINE_BYTES_MAX - 256) {
      throw new IOException("a record of " + value.length + " bytes is too long for a line");
    }
    String head =
        "{\"topic\":\""
            + entry.topic()
            + "\",\"partition\":"
            + entry.partition()
            + ",\"offset\":"
            + entry.offset()
            + ",\"appended_ms\":"
            + entry.appendedAtEpochMs()
            + (isEvent ? ",\"event\":" : ",\"bytes\":\"");
    line.reset();
    line.writeBytes(head.getBytes(UTF_8));
    line.writeBytes(text);
    line.writeBytes((isEvent ? "}\n" : "\"}\n").getBytes(UTF_8));
    lines.put(line.toByteArray(), line.size());
    records++;
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

  /** Tells whether bytes can stand in a line as they are. */
  private static boolean isJsonObjectOnOneLine(byte[] bytes) {
    return bytes.length >= 2
        && bytes[0] == '{'
        && bytes[bytes.length - 1] == '}'
        && hasNoControls(bytes)
        && isJsonObject(bytes);
  }

  private static boolean hasNoControls(byte[] bytes) {
    for (byte b : bytes) {
      if (b >= 0 && b < ' ') {
        return false;
      }
    }
    return true;
  }

  private static boolean isJsonObject(byte[] bytes) {
    try (JsonParser parser = JSON.createParser(bytes)) {
      int depth = 0;
      do {
        JsonToken token = parser.nextToken();
        if (token == null) {
          return false;
        }
        depth += token.isStructStart() ? 1 : token.isStructEnd() ? -1 : 0;
      } while (depth > 0);
      return parser.nextToken() == null && isUtf8(bytes);
    } catch (IOException e) {
      return false;
    }
  }

  private static boolean isUtf8(byte[] bytes) {
    for (byte b : bytes) {
      if (b < 0) {
        return Arrays.equals(new String(bytes, UTF_8).getBytes(UTF_8), bytes);
      }
    }
    return true;
  }
}
