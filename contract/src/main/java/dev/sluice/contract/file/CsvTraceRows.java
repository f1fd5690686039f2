package dev.sluice.contract.file;

import de.siegmar.fastcsv.reader.AbstractBaseCsvCallbackHandler;
import de.siegmar.fastcsv.reader.CloseableIterator;
import de.siegmar.fastcsv.reader.CommentStrategy;
import de.siegmar.fastcsv.reader.CsvParseException;
import de.siegmar.fastcsv.reader.CsvReader;
import de.siegmar.fastcsv.reader.FieldMismatchStrategy;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;

/**
 * Rows of a CSV file: names of columns in the first line, blank lines passed over. A person's file
 * may have blanks around fields, and lines that begin with # are passed over; each of its rows is
 * one line. A field of a table that Sluice wrote is taken as it is, line breaks included.
 */
final class CsvTraceRows extends TraceRows {
  private static final int LINE_BYTES_MAX = 1 << 20;

  private final boolean written;
  private final Fields fields = new Fields();
  private final CloseableIterator<Fields> lines;
  private final List<String> columns;
  private final Place header;
  private int line;

  /**
   * @param written true if Sluice wrote the file
   */
  CsvTraceRows(String source, InputStream in, boolean written) throws UserMistakeException {
    super(source);
    this.written = written;
    bytes = new byte[1024];
    lines =
        CsvReader.builder()
            .commentStrategy(written ? CommentStrategy.NONE : CommentStrategy.SKIP)
            .extraFieldStrategy(FieldMismatchStrategy.IGNORE)
            .missingFieldStrategy(FieldMismatchStrategy.IGNORE)
            .allowUnclosedQuote(false)
            .maxBufferSize(LINE_BYTES_MAX)
            .build(fields, in, StandardCharsets.ISO_8859_1) // a letter is a byte
            .iterator();
    List<String> names = new ArrayList<>();
    if (nextLine()) {
      for (int i = 0; i < fields.width; i++) {
        names.add(text(i));
      }
    }
    columns = List.copyOf(names);
    header = new Place(source, line);
    if (columns.isEmpty()) {
      throw new UserMistakeException(
          source, "the file is empty", "it should begin with the names of its columns");
    }
  }

  /** The fields of the line that was read last: no text is made of one before it is asked for. */
  private final class Fields extends AbstractBaseCsvCallbackHandler<Fields> {
    private int width;
    private int used;
    private boolean holdsBreak;
    private boolean isBlank;

    @Override
    protected void handleBegin(long startingLine) {
      line = Math.toIntExact(startingLine);
      width = 0;
      used = 0;
      holdsBreak = false;
      isBlank = false;
    }

    @Override
    protected void handleField(int column, char[] chars, int offset, int length, boolean quoted) {
      width = column + 1;
      if (used + length > LINE_BYTES_MAX) {
        used = LINE_BYTES_MAX + 1;
        return;
      }
      if (used + length > bytes.length) {
        bytes = Arrays.copyOf(bytes, 2 * (used + length));
      }
      if (column >= starts.length) {
        starts = Arrays.copyOf(starts, 2 * width);
        ends = Arrays.copyOf(ends, 2 * width);
      }
      int from = offset;
      int to = offset + length;
      if (!quoted && !written) {
        while (from < to && chars[from] == ' ') {
          from++;
        }
        while (from < to && chars[to - 1] == ' ') {
          to--;
        }
      }
      starts[column] = used;
      copy(chars, from, to);
      ends[column] = used;
      holdsBreak |= quoted && new String(chars, from, to - from).indexOf('\n') >= 0;
      isBlank = column == 0 && !quoted && new String(chars, from, to - from).isBlank();
    }

    private void copy(char[] chars, int from, int to) {
      byte[] target = bytes;
      int place = used;
      for (int at = from; at < to; at++) {
        target[place++] = (byte) chars[at];
      }
      used = place;
    }

    @Override
    protected Fields buildRecord() {
      return this;
    }
  }

  @Override
  public List<String> columns() {
    return columns;
  }

  @Override
  public Place header() {
    return header;
  }

  @Override
  public int column(String name) throws UserMistakeException {
    String there = inTheCaseOfTheFile(name);
    int column = columns.indexOf(there);
    if (column < 0) {
      throw lacks(name);
    }
    if (columns.lastIndexOf(there) != column) {
      throw new UserMistakeException(
          header,
          "the column (%s) stands there twice, as number %d and %d"
              .formatted(there, column + 1, columns.lastIndexOf(there) + 1),
          "one of the two should have another name");
    }
    return column;
  }

  @Override
  public boolean isSparse() {
    return false;
  }

  @Override
  public boolean next() throws UserMistakeException {
    if (!nextLine()) {
      return false;
    }
    if (fields.width != columns.size()) {
      throw mistake(
          "this row has (%d) fields, not (%d)".formatted(fields.width, columns.size()),
          "a comma is missing or too many, or the line was cut");
    }
    return true;
  }

  @Override
  public int line() {
    return line;
  }

  /** Goes on to the next line that is not blank and no comment. */
  private boolean nextLine() throws UserMistakeException {
    try {
      do {
        if (!lines.hasNext()) {
          return false;
        }
        lines.next();
      } while (fields.isBlank);
    } catch (UncheckedIOException e) {
      throw unreadable(Objects.requireNonNull(e.getCause()));
    } catch (CsvParseException e) {
      throw String.valueOf(e.getMessage()).contains("buffer") ? tooLong() : unclosed();
    }
    if (fields.used > LINE_BYTES_MAX) {
      throw tooLong();
    }
    if (fields.holdsBreak && !written) {
      throw unclosed();
    }
    return true;
  }

  private UserMistakeException tooLong() {
    return mistake(
        "this line has more than (%d) bytes".formatted(LINE_BYTES_MAX),
        "the file is no CSV file, its lines do not end, or a quote is not closed");
  }

  private UserMistakeException unclosed() {
    return mistake(
        "a quote is not closed before a comma or the line's end", "it should be doubled");
  }

  @Override
  public void close() throws IOException {
    lines.close();
  }
}
