package dev.sluice.contract.log;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.IOException;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Requests of a load as lines, by intended arrival. */
final class RequestLines implements RecordLines<RecordedRequest> {
  private static final JsonMapper JSON =
      JsonMapper.builder().enable(DeserializationFeature.FAIL_ON_NULL_FOR_PRIMITIVES).build();

  private static final int NAME_LETTERS_MAX = RecordingWriter.LINE_BYTES_MAX / 32;

  private long lastNs;

  @Override
  public RecordingHeader.Kind kind() {
    return RecordingHeader.Kind.REQUESTS;
  }

  @Override
  public String noun() {
    return "request of a recording";
  }

  @Override
  public String order() {
    return "requests are sorted by the time at which they were meant to arrive";
  }

  @Override
  public @Nullable String misplaced(RecordedRequest request) {
    if (request.intendedAtNs() < lastNs) {
      return "intended_ns (%d) is less than that of the line above (%d)"
          .formatted(request.intendedAtNs(), lastNs);
    }
    lastNs = request.intendedAtNs();
    return null;
  }

  /** The fields of a line; those that are missing are 0 or null. */
  private record Fields(
      @JsonProperty(value = "intended_ns", required = true) long intendedNs,
      @JsonProperty("class") @Nullable String classType,
      @Nullable String workload,
      @Nullable String backend,
      @Nullable String precision,
      @Nullable Integer samples,
      @JsonProperty("slo_ns") @Nullable Long sloNs) {}

  @Override
  public @Nullable RecordedRequest record(byte[] line) {
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
          Arrays.equals(written, 0, written.length - 1, line, 0, line.length); // but the line feed
      return asWritten ? request : null;
    } catch (IOException | IllegalArgumentException e) {
      return null; // told with the line's place by the caller
    }
  }

  @Override
  public byte[] line(RecordedRequest request) throws IOException {
    Map<String, Object> fields = new LinkedHashMap<>();
    fields.put("intended_ns", request.intendedAtNs());
    RequestKind kind = request.kind();
    put(fields, "class", kind.classType());
    put(fields, "workload", kind.workload());
    put(fields, "backend", kind.backend());
    put(fields, "precision", kind.precision());
    put(fields, "samples", kind.samples());
    put(fields, "slo_ns", kind.sloNs());
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
}
