package dev.sluice.contract.log;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.sluice.contract.file.Place;
import dev.sluice.contract.file.UserMistakeException;
import java.io.Closeable;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * Reads a recording of requests alone, one after another, as {@link RecordingReader} reads one of a
 * log. Not safe for threads.
 */
public final class RequestsReader implements Closeable {
  private static final byte[] INTENDED = "{\"intended_ns\":".getBytes(UTF_8);
  private static final byte[] CLASS = ",\"class\":".getBytes(UTF_8);
  private static final byte[] WORKLOAD = ",\"workload\":".getBytes(UTF_8);
  private static final byte[] BACKEND = ",\"backend\":".getBytes(UTF_8);
  private static final byte[] PRECISION = ",\"precision\":".getBytes(UTF_8);
  private static final byte[] SAMPLES = ",\"samples\":".getBytes(UTF_8);
  private static final byte[] SLO = ",\"slo_ns\":".getBytes(UTF_8);
  private static final byte[] END = "}".getBytes(UTF_8);

  private final LineReader lines;
  private final LineCursor cursor = new LineCursor();
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
    LineCursor line = lines.next(cursor);
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

  private static @Nullable RecordedRequest request(LineCursor line) {
    long intendedNs = line.skips(INTENDED) ? line.number() : -1;
    String classType = line.skips(CLASS) ? line.text() : null;
    String workload = line.skips(WORKLOAD) ? line.text() : null;
    String backend = line.skips(BACKEND) ? line.text() : null;
    String precision = line.skips(PRECISION) ? line.text() : null;
    long samples = line.skips(SAMPLES) ? line.number() : 0;
    long sloNs = line.skips(SLO) ? line.number() : 0;
    boolean whole = line.skips(END) && line.isAtEnd();
    return !whole || intendedNs < 0 || samples < 0 || samples > Integer.MAX_VALUE || sloNs < 0
        ? null
        : new RecordedRequest(
            intendedNs, classType, workload, backend, precision, (int) samples, sloNs);
  }
}
