package dev.sluice.contract.log;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.sluice.contract.file.Place;
import dev.sluice.contract.file.UserMistakeException;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Reads a recording of requests alone, one after another, as {@link RecordingReader} reads one of a
 * log. Not safe for threads.
 */
public final class RequestsReader implements Closeable {
  private static final JsonMapper JSON =
      JsonMapper.builder().enable(DeserializationFeature.FAIL_ON_NULL_FOR_PRIMITIVES).build();

  private final LineReader lines;
  private long records;
  private long lastNs;

  private RequestsReader(LineReader lines) {
    this.lines = lines;
  }

  /**
   * Opens a recording of requests.
   *
   * @param salvage whether the whole lines of a file that was cut short are taken; {@link #loss}
   *     then tells that it was
   */
  public static RequestsReader open(Path file, boolean salvage) throws UserMistakeException {
    LineReader lines = LineReader.open(file, salvage);
    try {
      lines.check(RecordingHeader.Kind.REQUESTS, "you meant a recording made without --whole");
    } catch (UserMistakeException e) {
      lines.close();
      throw e;
    }
    return new RequestsReader(lines);
  }

  public RecordingHeader header() {
    return lines.header();
  }

  /**
   * The next request; null at the end, after the trailer has been proved, or where a file that is
   * salvaged was cut short.
   */
  public @Nullable RecordedRequest next() throws UserMistakeException {
    byte[] line = lines.next();
    if (line == null) {
      return null;
    }
    RecordedRequest request = request(line);
    if (request == null) {
      throw lines.foreign("request of a recording");
    }
    if (request.intendedAtNs() < lastNs) {
      throw lines.mistake(
          "intended_ns ("
              + request.intendedAtNs()
              + ") is less than that of the line above ("
              + lastNs
              + ")",
          "lines were moved; requests are sorted by the time at which they were meant to arrive");
    }
    lastNs = request.intendedAtNs();
    records++;
    return request;
  }

  /** Number of requests that have been read. */
  public long records() {
    return records;
  }

  /** The line of the request that was read last. */
  public Place place() {
    return lines.place();
  }

  /** What was not taken from a file that was cut short, in words; null: nothing so far. */
  public @Nullable String loss() {
    return lines.loss();
  }

  @Override
  public void close() {
    lines.close();
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

  private static @Nullable RecordedRequest request(byte[] line) {
    try {
      @Nullable Fields fields = JSON.readValue(line, Fields.class);
      if (fields == null) {
        return null; // the JSON null
      }
      var request =
          new RecordedRequest(
              fields.intendedNs,
              fields.classType,
              fields.workload,
              fields.backend,
              fields.precision,
              fields.samples == null ? 0 : fields.samples,
              fields.sloNs == null ? 0 : fields.sloNs);
      byte[] written = RequestsWriter.line(request);
      boolean asWritten =
          Arrays.equals(written, 0, written.length - 1, line, 0, line.length); // but the line feed
      return asWritten ? request : null;
    } catch (IOException | IllegalArgumentException e) {
      return null; // told with the line's place by the caller
    }
  }
}
