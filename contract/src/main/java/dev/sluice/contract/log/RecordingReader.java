package dev.sluice.contract.log;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import dev.sluice.contract.file.OutputFile;
import dev.sluice.contract.file.Place;
import dev.sluice.contract.file.UserMistakeException;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Reads the recording of a log, record by record, in memory that does not grow with the file. Each
 * mistake names the file and its line. Not safe for threads.
 */
public final class RecordingReader implements Closeable {
  private static final JsonFactory JSON = new JsonFactory();
  private static final List<String> TOPICS = LogOrder.TOPICS;

  /** Recordings of either kind, as files that a command writes. */
  public static final OutputFile.Kind KIND =
      new OutputFile.Kind("recording", true, RecordingReader::isRecording);

  private final LineReader lines;
  private final LogOrder order = new LogOrder();
  private long records;

  private RecordingReader(LineReader lines) {
    this.lines = lines;
  }

  /**
   * Opens a recording of a log.
   *
   * @param salvage whether the whole lines of a file that was cut short are taken; {@link #loss}
   *     then tells that it was
   */
  public static RecordingReader open(Path file, boolean salvage) throws UserMistakeException {
    LineReader lines = LineReader.open(file, salvage);
    try {
      lines.check(
          RecordingHeader.Kind.LOG,
          "you meant the log.jsonl.gz of a run, or a recording made with --whole");
    } catch (UserMistakeException e) {
      lines.close();
      throw e;
    }
    return new RecordingReader(lines);
  }

  private static boolean isRecording(Path file) {
    try {
      return headerOf(file).version() > 0;
    } catch (UserMistakeException e) {
      return false;
    }
  }

  /** Reads the header alone of a recording of either kind. */
  public static RecordingHeader headerOf(Path file) throws UserMistakeException {
    try (LineReader lines = LineReader.open(file, true)) {
      return lines.header();
    }
  }

  public RecordingHeader header() {
    return lines.header();
  }

  /**
   * The next record; null at the end, after the trailer has been proved, or where a file that is
   * salvaged was cut short.
   */
  public @Nullable RecordedEntry next() throws UserMistakeException {
    byte[] line = lines.next();
    if (line == null) {
      return null;
    }
    RecordedEntry entry = entry(line);
    if (entry == null) {
      throw lines.foreign("record of a log");
    }
    if (!order.take(entry)) {
      throw lines.mistake(
          "this record ("
              + entry.topic()
              + "/"
              + entry.partition()
              + ", offset "
              + entry.offset()
              + ") stands behind one that comes after it",
          "lines were moved; a log's lines go by append time, topic, partition and offset");
    }
    records++;
    return entry;
  }

  /** Number of records that have been read. */
  public long records() {
    return records;
  }

  /** The line of the record that was read last. */
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

  /** The record in a line that has the fields of a record in their order; null: it has not. */
  private static @Nullable RecordedEntry entry(byte[] line) {
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
}
