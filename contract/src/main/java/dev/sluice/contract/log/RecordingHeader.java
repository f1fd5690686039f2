package dev.sluice.contract.log;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sluice.contract.event.RunStarted;
import dev.sluice.contract.file.Place;
import dev.sluice.contract.file.UserMistakeException;
import dev.sluice.contract.file.Written;
import java.io.IOException;
import java.util.Locale;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * First line of a recording. The header of requests tells nothing of the run that they came from,
 * so that one load gives one file, no matter which run sent it.
 *
 * @param version version of the file's format, {@link #VERSION} when written
 * @param kind what the lines hold
 * @param runId id of the run, or prefix of the topics; null for requests
 * @param timeZeroEpochMs time zero of the run, milliseconds since 1970; 0 for requests, and where
 *     the log holds no beginning of a run
 * @param shards number of partitions of the facts; 0 for requests
 * @param core version of the scheduling core's decisions; empty for requests, or if unknown
 * @param requestDigest digest of the request list; null if unknown
 * @param configDigest digest of the resolved experiment; null for requests, or if unknown
 * @param experiment resolved experiment as YAML; null for requests, or if unknown
 */
public record RecordingHeader(
    int version,
    Kind kind,
    @Nullable String runId,
    long timeZeroEpochMs,
    int shards,
    String core,
    @Nullable String requestDigest,
    @Nullable String configDigest,
    @Nullable String experiment) {

  /** Version of the format that this Sluice writes, and the newest that it reads. */
  public static final int VERSION = 1;

  /** The end of the year 9999, milliseconds since 1970. */
  private static final long EPOCH_MS_MAX = 253_402_300_799_999L;

  private static final JsonMapper JSON = new JsonMapper();

  public enum Kind {
    LOG,
    REQUESTS;

    public String text() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  /**
   * The header of requests.
   *
   * @param requestDigest digest of the list; null if the requests lack something that it covers
   */
  public static RecordingHeader requests(@Nullable String requestDigest) {
    return new RecordingHeader(VERSION, Kind.REQUESTS, null, 0, 0, "", requestDigest, null, null);
  }

  /** The header of a log, as far as its beginning and its experiment, as YAML, are known. */
  public static RecordingHeader log(
      String runId,
      @Nullable RunStarted started,
      int shards,
      String core,
      @Nullable String configDigest,
      @Nullable String experiment) {
    long zeroMs = started == null ? 0 : started.timeZeroEpochMs();
    String requests = started == null ? null : started.requestDigest();
    return new RecordingHeader(
        VERSION, Kind.LOG, runId, zeroMs, shards, core, requests, configDigest, experiment);
  }

  /** The line of the header, without a line feed. */
  String toJson() {
    ObjectNode line = JSON.createObjectNode();
    line.put("sluice", "recording").put("version", version).put("kind", kind.text());
    if (kind == Kind.LOG) {
      put(line, "run_id", runId);
      line.put("time_zero_epoch_ms", timeZeroEpochMs).put("shards", shards).put("core", core);
    }
    put(line, "request_digest", requestDigest);
    put(line, "config_digest", configDigest);
    put(line, "experiment", experiment);
    try {
      return JSON.writeValueAsString(line);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("a header cannot be written", e);
    }
  }

  private static void put(ObjectNode line, String key, @Nullable String value) {
    if (value != null) {
      line.put(key, value);
    }
  }

  /**
   * Reads the first line of a recording. The version is judged before anything else. A number that
   * the line lacks is 0.
   *
   * @param line bytes of the line, without the line feed
   */
  static RecordingHeader read(byte[] line, Place place) throws UserMistakeException {
    JsonNode header;
    try {
      header = JSON.readTree(line);
    } catch (IOException e) {
      throw foreign(place);
    }
    if (header == null || !header.path("sluice").asText().equals("recording")) {
      throw foreign(place);
    }
    int version = (int) whole(header, "version", Integer.MAX_VALUE, place);
    if (version > VERSION) {
      throw new UserMistakeException(
          place,
          "this recording has version (" + version + "), and this Sluice reads up to " + VERSION,
          "a newer Sluice wrote it, and only that one reads it");
    }
    Kind kind = kind(header.path("kind").asText());
    if (version < 1 || kind == null) {
      throw foreign(place);
    }
    return new RecordingHeader(
        version,
        kind,
        text(header, "run_id"),
        whole(header, "time_zero_epoch_ms", EPOCH_MS_MAX, place),
        (int) whole(header, "shards", LogOrder.PARTITIONS_MAX, place),
        header.path("core").asText(""),
        text(header, "request_digest"),
        text(header, "config_digest"),
        text(header, "experiment"));
  }

  private static long whole(JsonNode header, String key, long most, Place place)
      throws UserMistakeException {
    JsonNode value = header.path(key);
    if (value.isMissingNode()) {
      return 0;
    }
    boolean known = value.isIntegralNumber() && value.canConvertToLong();
    if (!known || value.asLong() < 0 || value.asLong() > most) {
      throw new UserMistakeException(
          place,
          "%s (%s) of the header must be a whole number of at least 0 and at most %d"
              .formatted(key, Written.of(value.asText()), most),
          "another program changed the file; only Sluice writes the lines of a recording");
    }
    return value.asLong();
  }

  private static @Nullable Kind kind(String text) {
    return Stream.of(Kind.values()).filter(k -> k.text().equals(text)).findFirst().orElse(null);
  }

  private static @Nullable String text(JsonNode header, String key) {
    JsonNode value = header.get(key);
    return value == null || !value.isTextual() ? null : value.asText();
  }

  private static UserMistakeException foreign(Place place) {
    return new UserMistakeException(
        place,
        "this is no header of a recording",
        "you meant another file: a run leaves log.jsonl.gz, and record writes recordings");
  }
}
