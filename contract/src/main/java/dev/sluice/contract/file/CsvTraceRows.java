package dev.sluice.contract.file;

import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Rows of a CSV file: names of columns in the first line, lines that end with LF or CRLF, quoted
 * fields within one line, blank lines and lines that begin with # passed over.
 */
final class CsvTraceRows extends TraceRows {
  private static final int LINE_BYTES_MAX = 1 << 20;
  private static final int BUFFER_BYTES = 1 << 16;

  private final InputStream in;
  private final List<String> columns;
  private final Place header;
  private int line;
  private int lineStart;
  private int lineEnd;
  private int position;
  private int limit;
  private boolean ended;

  CsvTraceRows(String source, InputStream in) throws UserMistakeException {
    super(source);
    this.in = in;
    bytes = new byte[BUFFER_BYTES];
    List<String> names = new ArrayList<>();
    if (nextLine()) {
      starts = new int[16];
      ends = new int[16];
      int width = split(Integer.MAX_VALUE);
      for (int i = 0; i < width; i++) {
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
    int width = split(columns.size());
    if (width != columns.size()) {
      throw mistake(
          "this row has (%d) fields, not (%d)".formatted(width, columns.size()),
          "a comma is missing or too many, or the line was cut");
    }
    return true;
  }

  @Override
  public int line() {
    return line;
  }

  /** Finds the next line that is not blank and no comment. */
  private boolean nextLine() throws UserMistakeException {
    while (findLine()) {
      line++;
      if (lineEnd > lineStart && bytes[lineEnd - 1] == '\r') {
        lineEnd--;
      }
      if (bytes[lineStart] != '#' && !isBlank()) {
        return true;
      }
    }
    return false;
  }

  private boolean isBlank() {
    for (int at = lineStart; at < lineEnd; at++) {
      if (bytes[at] != ' ' && bytes[at] != '\t') {
        return false;
      }
    }
    return true;
  }

  private boolean findLine() throws UserMistakeException {
    lineStart = position;
    int at = position;
    while (true) {
      while (at < limit && bytes[at] != '\n') {
        at++;
      }
      if (at < limit || ended) {
        lineEnd = at;
        position = Math.min(limit, at + 1);
        return lineEnd < limit || lineEnd > lineStart;
      }
      at -= lineStart;
      fill();
    }
  }

  /** Moves the line that is not whole yet to the beginning, and reads on behind it. */
  private void fill() throws UserMistakeException {
    int kept = limit - lineStart;
    if (kept >= LINE_BYTES_MAX) {
      line++;
      throw mistake(
          "this line has more than (%d) bytes".formatted(LINE_BYTES_MAX),
          "the file is no CSV file, or its lines do not end");
    }
    if (2 * kept > bytes.length) {
      bytes = Arrays.copyOfRange(bytes, lineStart, lineStart + 2 * bytes.length);
    } else {
      System.arraycopy(bytes, lineStart, bytes, 0, kept);
    }
    lineStart = 0;
    limit = kept;
    try {
      int read = in.read(bytes, kept, bytes.length - kept);
      if (read < 0) {
        ended = true;
      } else {
        limit += read;
      }
    } catch (IOException e) {
      throw unreadable(e);
    }
  }

  /** Finds the fields of the line, and returns how many there are. */
  private int split(int width) throws UserMistakeException {
    int column = 0;
    int at = lineStart;
    while (true) {
      int start = at;
      int end;
      if (at < lineEnd && bytes[at] == '"') {
        end = unquoted(at);
        start++;
        at = afterQuotes;
      } else {
        while (at < lineEnd && bytes[at] != ',') {
          at++;
        }
        end = at;
        while (start < end && bytes[start] == ' ') {
          start++;
        }
        while (start < end && bytes[end - 1] == ' ') {
          end--;
        }
      }
      if (column < width) {
        if (column == starts.length) {
          starts = Arrays.copyOf(starts, 2 * column);
          ends = Arrays.copyOf(ends, 2 * column);
        }
        starts[column] = start;
        ends[column] = end;
      }
      column++;
      if (at >= lineEnd) {
        return column;
      }
      at++;
    }
  }

  /** Place of the comma behind the quoted field that was read last, or of the line's end. */
  private int afterQuotes;

  /**
   * Moves a quoted field together, one quote for each doubled one.
   *
   * @param quote place of the opening quote
   * @return the field's end; the field begins behind the quote
   */
  private int unquoted(int quote) throws UserMistakeException {
    int to = quote + 1;
    for (int at = quote + 1; at < lineEnd; at++) {
      if (bytes[at] != '"') {
        bytes[to++] = bytes[at];
      } else if (at + 1 < lineEnd && bytes[at + 1] == '"') {
        bytes[to++] = '"';
        at++;
      } else if (at + 1 == lineEnd || bytes[at + 1] == ',') {
        afterQuotes = at + 1;
        return to;
      } else {
        break;
      }
    }
    throw mistake("a quote is not closed before a comma or the line's end", "it should be doubled");
  }

  @Override
  public void close() throws IOException {
    in.close();
  }
}
