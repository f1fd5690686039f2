package dev.sluice.contract.log;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.sluice.contract.file.GzipMember;
import dev.sluice.contract.file.OutputFile;
import dev.sluice.contract.file.Place;
import dev.sluice.contract.file.Sha256;
import dev.sluice.contract.file.UserMistakeException;
import java.io.ByteArrayOutputStream;
import java.io.Closeable;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.zip.ZipException;
import org.jspecify.annotations.Nullable;

/**
 * Reads a recording, record by record, in memory that does not grow with the file. Each mistake
 * names the file and its line. The trailer is proved before the end is told. Not safe for threads.
 *
 * @param <R> records of a log, or requests
 */
public final class RecordingReader<R> implements Closeable {
  /** Recordings of either kind, as files that a command writes. */
  public static final OutputFile.Kind KIND =
      new OutputFile.Kind("recording", true, RecordingReader::isRecording);

  private static final byte[] TRAILER = "{\"records\":".getBytes(UTF_8);
  private static final int BLOCK_BYTES = 1 << 16;
  private static final int SHOWN_BYTES = 80;

  private final String source;
  private final boolean salvage;
  private final RecordLines<R> form;
  private final GzipMember in;
  private final MessageDigest sha256 = Sha256.begin();
  private final RecordingHeader header;
  private final byte[] block = new byte[BLOCK_BYTES];
  private int at;
  private int filled;
  private byte[] line = {};
  private int lineNumber;
  private boolean proved;
  private boolean ended;
  private @Nullable String loss;

  private RecordingReader(String source, GzipMember in, boolean salvage, RecordLines<R> form)
      throws UserMistakeException {
    this.source = source;
    this.in = in;
    this.salvage = salvage;
    this.form = form;
    if (!nextLine()) {
      throw mistake(
          "this file holds no whole line", "it was cut short before its first record was written");
    }
    if (line.length > 2 && line[0] == (byte) 0xEF && line[1] == (byte) 0xBB) {
      throw mistake(
          "this file begins with a byte order mark",
          "an editor wrote it; Sluice's recordings have none");
    }
    this.header = RecordingHeader.read(line, place());
  }

  /**
   * Opens a recording of a log.
   *
   * @param salvage whether the whole lines of a file that was cut short are taken; {@link #loss}
   *     then tells that it was
   */
  public static RecordingReader<RecordedEntry> ofLog(Path file, boolean salvage)
      throws UserMistakeException {
    return open(file, salvage, new RecordLines.OfLog())
        .checked("you meant the log.jsonl.gz of a run, or a recording made with --whole");
  }

  /** Opens a recording of requests alone, as {@link #ofLog} opens one of a log. */
  public static RecordingReader<RecordedRequest> ofRequests(Path file, boolean salvage)
      throws UserMistakeException {
    return open(file, salvage, new RecordLines.OfRequests())
        .checked("you meant a recording made without --whole");
  }

  /** Reads the header alone of a recording of either kind. */
  public static RecordingHeader headerOf(Path file) throws UserMistakeException {
    try (var reader = open(file, true, new RecordLines.OfLog())) {
      return reader.header;
    }
  }

  private static boolean isRecording(Path file) {
    try {
      return headerOf(file).version() > 0;
    } catch (UserMistakeException e) {
      return false;
    }
  }

  /** Opens a recording of either kind and reads its header. */
  private static <R> RecordingReader<R> open(Path file, boolean salvage, RecordLines<R> form)
      throws UserMistakeException {
    String source = file.toString();
    if (Files.isDirectory(file)) {
      throw new UserMistakeException(
          source, "this is a folder, not a recording", "you meant a file inside it");
    }
    InputStream raw = null;
    try {
      raw = Files.newInputStream(file);
      return new RecordingReader<>(source, GzipMember.open(raw, BLOCK_BYTES), salvage, form);
    } catch (IOException | UserMistakeException e) {
      try {
        if (raw != null) {
          raw.close();
        }
      } catch (IOException again) {
        e.addSuppressed(again);
      }
      throw e instanceof UserMistakeException mistake ? mistake : unopened(source, e);
    }
  }

  private static UserMistakeException unopened(String source, Exception e) {
    if (e instanceof ZipException) {
      return new UserMistakeException(
          source, "this is no gzip file", "you meant another file, or it was unpacked", e);
    }
    if (e instanceof EOFException) {
      return new UserMistakeException(
          source, "this file is empty, or cut short in its first bytes", "you meant another", e);
    }
    return new UserMistakeException(
        source,
        "the recording cannot be read (" + UserMistakeException.reason(e) + ")",
        "the path is meant relative to another folder",
        e);
  }

  /** This recording; closed, with a mistake, if it is one of another kind. */
  private RecordingReader<R> checked(String maybe) throws UserMistakeException {
    if (header.kind() != form.kind) {
      close();
      throw mistake("this recording is one of kind (" + header.kind().text() + ")", maybe);
    }
    return this;
  }

  public RecordingHeader header() {
    return header;
  }

  public Place place() {
    return new Place(source, lineNumber);
  }

  /** What was not taken from a file that is salvaged, in words; null: nothing so far. */
  public @Nullable String loss() {
    return loss;
  }

  /**
   * The next record; null at the end, after the trailer has been proved, or where a file that is
   * salvaged was cut short.
   */
  public @Nullable R next() throws UserMistakeException {
    if (ended || !nextRecordLine()) {
      ended = true;
      return null;
    }
    R record = form.record(line);
    if (record == null) {
      throw foreign();
    }
    String misplaced = form.misplaced(record);
    if (misplaced != null) {
      throw mistake(misplaced, "lines were moved; " + form.order);
    }
    return record;
  }

  private UserMistakeException mistake(String what, String maybe) {
    return new UserMistakeException(place(), what, maybe);
  }

  private UserMistakeException foreign() {
    int shown = Math.min(line.length, SHOWN_BYTES);
    String begin = new String(line, 0, shown, UTF_8).replaceAll("\\p{Cntrl}", "?");
    return mistake(
        "this line is no " + form.noun + " (" + begin + (shown < line.length ? "…" : "") + ")",
        "another program changed the file; only Sluice writes the lines of a recording");
  }

  /** Goes on to the next line behind the header; false at the end, and where the trailer stands. */
  private boolean nextRecordLine() throws UserMistakeException {
    sha256.update(line);
    sha256.update((byte) '\n');
    if (!nextLine()) {
      return false;
    }
    int begin = Math.min(line.length, TRAILER.length);
    if (Arrays.equals(line, 0, begin, TRAILER, 0, TRAILER.length)) {
      prove();
      return false;
    }
    return true;
  }

  /** Checks that the trailer, the present line, is right, and that nothing stands behind it. */
  private void prove() throws UserMistakeException {
    String sum = HexFormat.of().formatHex(sha256.digest());
    long records = lineNumber - 2L; // the header and the trailer are none
    if (!(new String(line, UTF_8) + "\n").equals(RecordingWriter.trailer(records, sum))) {
      throw mistake(
          "the trailer does not fit the %s records above it, whose SHA-256 is (%s)"
              .formatted(records, sum),
          "a line was changed, added or removed after the recording was finished");
    }
    proved = true;
    if (nextLine() || line.length > 0) {
      throw mistake(
          "there is a line behind the trailer", "two recordings were joined: use them one by one");
    }
    boolean bytesBehind;
    try {
      bytesBehind = in.hasBytesBehindEnd();
    } catch (IOException e) {
      throw unreadable(e);
    }
    if (bytesBehind) {
      if (!salvage) {
        throw new UserMistakeException(
            source,
            "there are bytes behind the end of the recording",
            "another program added them; --salvage leaves them out");
      }
      loss = "bytes behind the end of the recording were left out";
    }
  }

  private UserMistakeException unreadable(IOException e) {
    return new UserMistakeException(
        source,
        "the recording cannot be read (" + UserMistakeException.reason(e) + ")",
        "the disk is damaged",
        e);
  }

  /** Goes on to the next whole line; false if there is none. */
  private boolean nextLine() throws UserMistakeException {
    var bytes = new ByteArrayOutputStream();
    boolean whole = false;
    while (!whole && (at < filled || fill())) {
      int end = at;
      while (end < filled && block[end] != '\n') {
        end++;
      }
      bytes.write(block, at, end - at);
      whole = end < filled;
      at = whole ? end + 1 : end;
      if (bytes.size() >= RecordingWriter.LINE_BYTES_MAX) {
        lineNumber++;
        throw mistake(
            "this line is longer than " + (RecordingWriter.LINE_BYTES_MAX >> 20) + " MiB",
            "this is no recording that Sluice wrote");
      }
    }
    line = bytes.toByteArray();
    lineNumber += whole ? 1 : 0;
    return whole;
  }

  /** Reads on; false at the end of a file that is whole, or whose whole lines are taken. */
  private boolean fill() throws UserMistakeException {
    String damage;
    try {
      at = 0;
      filled = Math.max(0, in.read(block));
      if (filled > 0 || proved) {
        return filled > 0;
      }
      damage = "ends without a trailer";
    } catch (EOFException e) {
      damage = "is cut short";
    } catch (ZipException e) {
      damage = "is damaged";
    } catch (IOException e) {
      throw unreadable(e);
    }
    int records = Math.max(0, lineNumber - 1);
    if (salvage && lineNumber > 0) {
      loss = "the recording " + damage + " after " + records + " whole records";
      return false;
    }
    lineNumber++;
    throw mistake(
        "the recording " + damage + " here, after " + records + " whole records",
        lineNumber == 1
            ? "it was cut short before anything could be read from it"
            : "--salvage takes its whole lines");
  }

  @Override
  public void close() {
    try {
      in.close();
    } catch (IOException e) {
      // nothing was written, so nothing is lost
    }
  }
}
