package dev.sluice.contract.log;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Records of a run's topics as lines, by {@link LogOrder}. */
final class LogLines implements RecordLines<RecordedEntry> {
  private static final JsonFactory JSON = new JsonFactory();
  private static final List<String> TOPICS = LogOrder.TOPICS;

  private final LogOrder order = new LogOrder();

  @Override
  public RecordingHeader.Kind kind() {
    return RecordingHeader.Kind.LOG;
  }

  @Override
  public String noun() {
    return "record of a log";
  }

  @Override
  public String order() {
    return "a log's lines go by append time, topic, partition and offset";
  }

  @Override
  public @Nullable String misplaced(RecordedEntry entry) {
    return order.take(entry)
        ? null
        : "this record (%s/%d, offset %d) stands behind one that comes after it"
            .formatted(entry.topic(), entry.partition(), entry.offset());
  }

  @Override
  public @Nullable RecordedEntry record(byte[] line) {
    try (JsonParser json = JSON.createParser(line)) {
      if (json.nextToken() != JsonToken.START_OBJECT || !"topic".equals(json.nextFieldName())) {
        return null;
      }
      int rank = LogOrder.rank(String.valueOf(json.nextTextValue()));
      long partition = number(json, "partition");
      long offset = number(json, "offset");
      long appendedMs = number(json, "appended_ms");
      byte[] value = value(json, line);
      return rank < 0
              || partition < 0
              || partition >= LogOrder.PARTITIONS_MAX
              || offset < 0
              || value == null
          ? null
          : new RecordedEntry(TOPICS.get(rank), (int) partition, offset, appendedMs, value);
    } catch (IOException | IllegalArgumentException e) {
      return null; // told with the line's place by the caller
    }
  }

  private static long number(JsonParser json, String name) throws IOException {
    if (!name.equals(json.nextFieldName()) || json.nextToken() != JsonToken.VALUE_NUMBER_INT) {
      throw new IllegalArgumentException("no " + name);
    }
    return json.getLongValue();
  }

  /** The last field: an event as it stands there, or other bytes as text. */
  private static byte @Nullable [] value(JsonParser json, byte[] line) throws IOException {
    String name = String.valueOf(json.nextFieldName());
    JsonToken token = json.nextToken();
    byte[] value = null;
    if (name.equals("event") && token == JsonToken.START_OBJECT && line[line.length - 1] == '}') {
      int from = (int) json.currentTokenLocation().getByteOffset();
      json.skipChildren();
      value = Arrays.copyOfRange(line, from, line.length - 1);
    } else if (name.equals("bytes") && token == JsonToken.VALUE_STRING) {
      value = Base64.getDecoder().decode(json.getText());
    }
    return json.nextToken() == JsonToken.END_OBJECT && json.nextToken() == null ? value : null;
  }

  @Override
  public byte[] line(RecordedEntry entry) throws IOException {
    byte[] value = entry.value();
    boolean isEvent = isJsonObjectOnOneLine(value);
    byte[] text = isEvent ? value : Base64.getEncoder().encode(value);
    if (text.length > RecordingWriter.LINE_BYTES_MAX - 256) {
      throw new IOException("a record of " + value.length + " bytes is too long for a line");
    }
    String begin =
        "{\"topic\":\""
            + entry.topic()
            + "\",\"partition\":"
            + entry.partition()
            + ",\"offset\":"
            + entry.offset()
            + ",\"appended_ms\":"
            + entry.appendedAtEpochMs()
            + (isEvent ? ",\"event\":" : ",\"bytes\":\"");
    byte[] head = begin.getBytes(UTF_8);
    byte[] tail = (isEvent ? "}\n" : "\"}\n").getBytes(UTF_8);
    return ByteBuffer.allocate(head.length + text.length + tail.length)
        .put(head)
        .put(text)
        .put(tail)
        .array();
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
