package dev.sluice.contract.log;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.sluice.contract.file.GzipMember;
import dev.sluice.contract.file.Place;
import dev.sluice.contract.file.Sha256;
import dev.sluice.contract.file.UserMistakeException;
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
 * Lines of a recording, one after another, in memory that does not grow with the file. The trailer
 * is proved before the end is told. Not safe for threads.
 */
final class LineReader implements Closeable {
  private static final byte[] TRAILER = "{\"records\":".getBytes(UTF_8);
  private static final int BUFFER_BYTES = 1 << 18;
  private static final int SHOWN_BYTES = 80;

  private final String source;
  private final boolean salvage;
  private final GzipMember in;
  private final MessageDigest sha256 = Sha256.begin();
  private final RecordingHeader header;
  private byte[] buffer = new byte[BUFFER_BYTES];
  private int filled;

  /** Beginning of the bytes that the digest has not taken in. */
  private int notHashed;

  private int lineFrom;
  private int lineTo;
  private int nextLine;
  private int lineNumber;
  private boolean proved;
  private boolean ended;
  private @Nullable String loss;

  private LineReader(String source, GzipMember in, boolean salvage) throws UserMistakeException {
    this.source = source;
    this.in = in;
    this.salvage = salvage;
    if (!nextLine()) {
      throw mistake(
          "this file holds no whole line", "it was cut short before its first record was written");
    }
    byte[] line = Arrays.copyOfRange(buffer, lineFrom, lineTo);
    if (line.length > 2 && line[0] == (byte) 0xEF && line[1] == (byte) 0xBB) {
      throw mistake(
          "this file begins with a byte order mark",
          "an editor wrote it; Sluice's recordings have none");
    }
    this.header = RecordingHeader.read(line, place());
  }

  /**
   * Opens a recording and reads its header.
   *
   * @param salvage whether the whole lines of a file that was cut short are taken
   */
  static LineReader open(Path file, boolean salvage) throws UserMistakeException {
    String source = file.toString();
    if (Files.isDirectory(file)) {
      throw new UserMistakeException(
          source, "this is a folder, not a recording", "you meant a file inside it");
    }
    InputStream raw = null;
    try {
      raw = Files.newInputStream(file);
      return new LineReader(source, GzipMember.open(raw, 1 << 16), salvage);
    } catch (ZipException e) {
      closeAfterFailure(raw, e);
      throw new UserMistakeException(
          source, "this is no gzip file", "you meant another file, or it was unpacked", e);
    } catch (EOFException e) {
      closeAfterFailure(raw, e);
      throw new UserMistakeException(
          source, "this file is empty, or cut short in its first bytes", "you meant another", e);
    } catch (IOException e) {
      closeAfterFailure(raw, e);
      throw new UserMistakeException(
          source,
          "the recording cannot be read (" + UserMistakeException.reason(e) + ")",
          "the path is meant relative to another folder",
          e);
    } catch (UserMistakeException e) {
      closeAfterFailure(raw, e);
      throw e;
    }
  }

  private static void closeAfterFailure(@Nullable InputStream raw, Exception e) {
    try {
      if (raw != null) {
        raw.close();
      }
    } catch (IOException again) {
      e.addSuppressed(again);
    }
  }

  RecordingHeader header() {
    return header;
  }

  /** Refuses a recording of another kind. */
  void check(RecordingHeader.Kind wanted, String maybe) throws UserMistakeException {
    if (header.kind() != wanted) {
      throw mistake("this recording is one of kind (" + header.kind().text() + ")", maybe);
    }
  }

  /** What was not taken from a file that is salvaged, in words; null: nothing so far. */
  @Nullable String loss() {
    return loss;
  }

  /** The place of the line that was read last. */
  Place place() {
    return new Place(source, lineNumber);
  }

  UserMistakeException mistake(String what, String maybe) {
    return new UserMistakeException(place(), what, maybe);
  }

  /** The mistake that the present line is none that Sluice writes. */
  UserMistakeException foreign(String wanted) {
    int shown = Math.min(lineTo - lineFrom, SHOWN_BYTES);
    String begin = new String(buffer, lineFrom, shown, UTF_8).replaceAll("\\p{Cntrl}", "?");
    return mistake(
        "this line is no " + wanted + " (" + begin + (shown < lineTo - lineFrom ? "…" : "") + ")",
        "another program changed the file; only Sluice writes the lines of a recording");
  }

  /**
   * Goes on to the next line behind the header.
   *
   * @return the line's bytes; null if the trailer stands there and is right
   */
  byte @Nullable [] next() throws UserMistakeException {
    if (ended) {
      return null;
    }
    if (!nextLine()) {
      ended = true;
      return null;
    }
    if (isTrailer()) {
      prove();
      ended = true;
      return null;
    }
    return Arrays.copyOfRange(buffer, lineFrom, lineTo);
  }

  private boolean isTrailer() {
    int to = Math.min(lineTo, lineFrom + TRAILER.length);
    return Arrays.equals(buffer, lineFrom, to, TRAILER, 0, TRAILER.length);
  }

  private void prove() throws UserMistakeException {
    hashUpTo(lineFrom);
    String sum = HexFormat.of().formatHex(sha256.digest());
    long records = lineNumber - 2L; // the header and the trailer are none
    String found = new String(buffer, lineFrom, lineTo - lineFrom + 1, UTF_8);
    if (!found.equals(RecordingWriter.trailer(records, sum))) {
      throw mistake(
          "the trailer does not fit the %s records above it, whose SHA-256 is (%s)"
              .formatted(records, sum),
          "a line was changed, added or removed after the recording was finished");
    }
    proved = true;
    if (nextLine() || filled > nextLine) {
      throw mistake(
          "there is a line behind the trailer", "two recordings were joined: use them one by one");
    }
    if (hasBytesBehindEnd()) {
      if (!salvage) {
        throw new UserMistakeException(
            source,
            "there are bytes behind the end of the recording",
            "another program added them; --salvage leaves them out");
      }
      loss = "bytes behind the end of the recording were left out";
    }
  }

  private boolean hasBytesBehindEnd() throws UserMistakeException {
    try {
      return in.hasBytesBehindEnd();
    } catch (IOException e) {
      throw unreadable(e);
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
    int scanned = nextLine;
    while (true) {
      for (int i = scanned; i < filled; i++) {
        if (buffer[i] == '\n') {
          lineFrom = nextLine;
          lineTo = i;
          nextLine = i + 1;
          lineNumber++;
          return true;
        }
      }
      scanned = filled;
      if (filled == buffer.length) {
        scanned -= makeRoom();
      }
      int read = fill();
      if (read < 0) {
        return false;
      }
      filled += read;
    }
  }

  /** Moves the unfinished line to the buffer's beginning, or grows the buffer. */
  private int makeRoom() throws UserMistakeException {
    hashUpTo(nextLine);
    int moved = nextLine;
    System.arraycopy(buffer, moved, buffer, 0, filled - moved);
    filled -= moved;
    lineFrom = 0;
    lineTo = 0;
    nextLine = 0;
    notHashed = 0;
    if (filled == buffer.length) {
      if (filled >= RecordingWriter.LINE_BYTES_MAX) {
        lineNumber++;
        throw mistake(
            "this line is longer than " + (RecordingWriter.LINE_BYTES_MAX >> 20) + " MiB",
            "this is no recording that Sluice wrote");
      }
      buffer = Arrays.copyOf(buffer, Math.min(2 * filled, RecordingWriter.LINE_BYTES_MAX));
    }
    return moved;
  }

  private void hashUpTo(int to) {
    sha256.update(buffer, notHashed, to - notHashed);
    notHashed = to;
  }

  /** Reads on; −1 at the end of a file that is whole, or whose whole lines are taken. */
  private int fill() throws UserMistakeException {
    String damage;
    try {
      int read = in.read(buffer, filled, buffer.length - filled);
      if (read >= 0 || proved) {
        return read;
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
      return -1;
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
