package dev.sluice.contract.log;

import dev.sluice.contract.file.OutputFile;
import dev.sluice.contract.file.Place;
import dev.sluice.contract.file.UserMistakeException;
import java.io.Closeable;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * Reads a recording, record by record, in memory that does not grow with the file. Each mistake
 * names the file and its line. Not safe for threads.
 *
 * @param <R> records of a log, or requests
 */
public final class RecordingReader<R> implements Closeable {
  /** Recordings of either kind, as files that a command writes. */
  public static final OutputFile.Kind KIND =
      new OutputFile.Kind("recording", true, RecordingReader::isRecording);

  private final LineReader lines;
  private final RecordLines<R> form;
  private long records;

  private RecordingReader(LineReader lines, RecordLines<R> form) {
    this.lines = lines;
    this.form = form;
  }

  /**
   * Opens a recording of a log.
   *
   * @param salvage whether the whole lines of a file that was cut short are taken; {@link #loss}
   *     then tells that it was
   */
  public static RecordingReader<RecordedEntry> ofLog(Path file, boolean salvage)
      throws UserMistakeException {
    return open(
        file,
        salvage,
        new RecordLines.OfLog(),
        "you meant the log.jsonl.gz of a run, or a recording made with --whole");
  }

  /** Opens a recording of requests alone, as {@link #ofLog} opens one of a log. */
  public static RecordingReader<RecordedRequest> ofRequests(Path file, boolean salvage)
      throws UserMistakeException {
    return open(
        file, salvage, new RecordLines.OfRequests(), "you meant a recording made without --whole");
  }

  private static <R> RecordingReader<R> open(
      Path file, boolean salvage, RecordLines<R> form, String maybe) throws UserMistakeException {
    LineReader lines = LineReader.open(file, salvage);
    try {
      lines.check(form.kind(), maybe);
    } catch (UserMistakeException e) {
      lines.close();
      throw e;
    }
    return new RecordingReader<>(lines, form);
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
  public @Nullable R next() throws UserMistakeException {
    byte[] line = lines.next();
    if (line == null) {
      return null;
    }
    R record = form.record(line);
    if (record == null) {
      throw lines.foreign(form.noun());
    }
    String misplaced = form.misplaced(record);
    if (misplaced != null) {
      throw lines.mistake(misplaced, "lines were moved; " + form.order());
    }
    records++;
    return record;
  }

  public long records() {
    return records;
  }

  public Place place() {
    return lines.place();
  }

  public @Nullable String loss() {
    return lines.loss();
  }

  @Override
  public void close() {
    lines.close();
  }
}
