package dev.sluice.contract.log;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.sluice.contract.file.OutputFile;
import dev.sluice.contract.file.Place;
import dev.sluice.contract.file.UserMistakeException;
import java.io.Closeable;
import java.nio.file.Path;
import java.util.Base64;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Reads the recording of a log, record by record, in memory that does not grow with the file. Each
 * mistake names the file and its line. Not safe for threads.
 */
public final class RecordingReader implements Closeable {
  private static final byte[] TOPIC = "{\"topic\":".getBytes(UTF_8);
  private static final byte[] PARTITION = ",\"partition\":".getBytes(UTF_8);
  private static final byte[] OFFSET = ",\"offset\":".getBytes(UTF_8);
  private static final byte[] APPENDED = ",\"appended_ms\":".getBytes(UTF_8);
  private static final byte[] EVENT = ",\"event\":".getBytes(UTF_8);
  private static final byte[] EVENT_END = "}".getBytes(UTF_8);
  private static final byte[] BYTES = ",\"bytes\":\"".getBytes(UTF_8);
  private static final byte[] BYTES_END = "\"}".getBytes(UTF_8);
  private static final List<String> TOPICS = LogOrder.TOPICS;

  /** Recordings of either kind, as files that a command writes. */
  public static final OutputFile.Kind KIND =
      new OutputFile.Kind("recording", true, RecordingReader::isRecording);

  private final LineReader lines;
  private final LineCursor cursor = new LineCursor();
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
    LineCursor line = lines.next(cursor);
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

  private static @Nullable RecordedEntry entry(LineCursor line) {
    String name = line.skips(TOPIC) ? line.text() : null;
    int rank = name == null ? -1 : LogOrder.rank(name);
    long partition = line.skips(PARTITION) ? line.number() : -1;
    long offset = line.skips(OFFSET) ? line.number() : -1;
    long appendedMs = line.skips(APPENDED) ? line.number() : Long.MIN_VALUE;
    byte[] value = value(line);
    return rank < 0
            || partition < 0
            || partition >= LogOrder.PARTITIONS_MAX
            || offset < 0
            || appendedMs == Long.MIN_VALUE
            || value == null
        ? null
        : new RecordedEntry(TOPICS.get(rank), (int) partition, offset, appendedMs, value);
  }

  private static byte @Nullable [] value(LineCursor line) {
    if (line.skips(EVENT) && line.dropsEnd(EVENT_END)) {
      byte[] event = line.rest();
      return RecordingWriter.isJsonObjectOnOneLine(event) ? event : null;
    }
    if (line.skips(BYTES) && line.dropsEnd(BYTES_END)) {
      try {
        return Base64.getDecoder().decode(line.rest());
      } catch (IllegalArgumentException e) {
        return null;
      }
    }
    return null;
  }
}
