package dev.sluice.contract.log;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Records of one kind as lines of a recording, in the order in which they may stand there. Not safe
 * for threads.
 */
abstract class RecordLines<R> {
  final RecordingHeader.Kind kind;

  /** A record in words, for a line that is none. */
  final String noun;

  /** Order of the lines, in words. */
  final String order;

  private RecordLines(RecordingHeader.Kind kind, String noun, String order) {
    this.kind = kind;
    this.noun = noun;
    this.order = order;
  }

  /**
   * Takes the next record.
   *
   * @return null; or, if the record may not stand behind the one before, what is wrong with it
   */
  abstract @Nullable String misplaced(R record);

  /** The record in a line that is as {@link #line} writes it; null: the line is not. */
  abstract @Nullable R record(byte[] line);

  /**
   * A record's line, line feed included.
   *
   * @throws IOException if the record is too long for a line
   */
  abstract byte[] line(R record) throws IOException;

  /** Records of a run's topics as lines, by {@link LogOrder}. */
  static final class OfLog extends RecordLines<RecordedEntry> {
    private static final JsonFactory JSON = new JsonFactory();
    private static final List<String> TOPICS = LogOrder.TOPICS;

    private final LogOrder taken = new LogOrder();

    OfLog() {
      super(
          RecordingHeader.Kind.LOG,
          "record of a log",
          "a log's lines go by append time, topic, partition and offset");
    }

    @Override
    @Nullable String misplaced(RecordedEntry entry) {
      return taken.take(entry)
          ? null
          : "this record (%s/%d, offset %d) stands behind one that comes after it"
              .formatted(entry.topic(), entry.partition(), entry.offset());
    }

    @Override
    @Nullable RecordedEntry record(byte[] line) {
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
    byte[] line(RecordedEntry entry) throws IOException {
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

  /** Requests of a load as lines, by intended arrival. */
  static final class OfRequests extends RecordLines<RecordedRequest> {
    private static final JsonMapper JSON =
        JsonMapper.builder().enable(DeserializationFeature.FAIL_ON_NULL_FOR_PRIMITIVES).build();

    private static final int NAME_LETTERS_MAX = RecordingWriter.LINE_BYTES_MAX / 32;

    private long lastNs;

    OfRequests() {
      super(
          RecordingHeader.Kind.REQUESTS,
          "request of a recording",
          "requests are sorted by the time at which they were meant to arrive");
    }

    @Override
    @Nullable String misplaced(RecordedRequest request) {
      if (request.intendedAtNs() < lastNs) {
        return "intended_ns (%d) is less than that of the line above (%d)"
            .formatted(request.intendedAtNs(), lastNs);
      }
      lastNs = request.intendedAtNs();
      return null;
    }

    /** The fields of a line; those that are missing are 0 or null. */
    @JsonInclude(JsonInclude.Include.NON_NULL)
    private record Fields(
        @JsonProperty(value = "intended_ns", required = true) long intendedNs,
        @JsonProperty("class") @Nullable String classType,
        @Nullable String workload,
        @Nullable String backend,
        @Nullable String precision,
        @Nullable Integer samples,
        @JsonProperty("slo_ns") @Nullable Long sloNs) {}

    @Override
    @Nullable RecordedRequest record(byte[] line) {
      try {
        @Nullable Fields fields = JSON.readValue(line, Fields.class);
        if (fields == null) {
          return null; // the JSON null
        }
        var request =
            new RecordedRequest(
                fields.intendedNs,
                new RequestKind(
                    fields.classType,
                    fields.workload,
                    fields.backend,
                    fields.precision,
                    fields.samples == null ? 0 : fields.samples,
                    fields.sloNs == null ? 0 : fields.sloNs));
        byte[] written = line(request);
        boolean asWritten =
            Arrays.equals(
                written, 0, written.length - 1, line, 0, line.length); // but the line feed
        return asWritten ? request : null;
      } catch (IOException | IllegalArgumentException e) {
        return null; // told with the line's place by the caller
      }
    }

    @Override
    byte[] line(RecordedRequest request) throws IOException {
      RequestKind kind = request.kind();
      if (request.intendedAtNs() < 0 || kind.samples() < 0 || kind.sloNs() < 0) {
        throw new IllegalArgumentException(
            "a request has a number below 0: %s, %s, %s"
                .formatted(request.intendedAtNs(), kind.samples(), kind.sloNs()));
      }
      for (String name :
          new @Nullable String[] {
            kind.classType(), kind.workload(), kind.backend(), kind.precision()
          }) {
        if (name != null && name.length() > NAME_LETTERS_MAX) {
          throw new IllegalArgumentException("a name is too long (" + name.length() + " letters)");
        }
      }
      var fields =
          new Fields(
              request.intendedAtNs(),
              kind.classType(),
              kind.workload(),
              kind.backend(),
              kind.precision(),
              kind.samples() > 0 ? kind.samples() : null,
              kind.sloNs() > 0 ? kind.sloNs() : null);
      return (JSON.writeValueAsString(fields) + "\n").getBytes(UTF_8);
    }
  }
}
