package dev.sluice.contract.file;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadFeature;
import de.siegmar.fastcsv.reader.AbstractBaseCsvCallbackHandler;
import de.siegmar.fastcsv.reader.CloseableIterator;
import de.siegmar.fastcsv.reader.CommentStrategy;
import de.siegmar.fastcsv.reader.CsvParseException;
import de.siegmar.fastcsv.reader.CsvReader;
import de.siegmar.fastcsv.reader.FieldMismatchStrategy;
import java.io.BufferedInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.zip.GZIPInputStream;
import java.util.zip.ZipException;
import org.jspecify.annotations.Nullable;

/**
 * Rows of a trace, or of a table that Sluice wrote, one after the other, with fields under the
 * names of columns.
 */
public abstract class TraceRows implements AutoCloseable {
  private static final long WHOLE_SECONDS_MAX = 9_000_000_000L;
  private static final int BUFFER_BYTES = 1 << 16;
  private static final int FIRST_BYTES_MAX = 1 << 20;
  private static final byte[] GZIP = {0x1f, (byte) 0x8b};

  /**
   * First bytes of files that are packed otherwise, with what they are and how they are unpacked.
   */
  private static final Map<String, List<String>> PACKED =
      Map.of(
          "28b52ffd", List.of("compressed by zstd", "zstd -d"),
          "fd377a58", List.of("compressed by xz", "xz -d"),
          "425a68", List.of("compressed by bzip2", "bzip2 -d"),
          "504b0304", List.of("a zip archive", "unzip"));

  private static final byte[] BYTE_ORDER_MARK = {(byte) 0xEF, (byte) 0xBB, (byte) 0xBF};

  /** Most letters of a number that is read without a {@link BigDecimal}. */
  private static final int LONG_DIGITS = 18;

  final String source;
  final List<String> fields = new ArrayList<>();
  private final boolean sparse;
  List<String> columns = List.of();
  Place header;

  TraceRows(String source, boolean sparse) {
    this.source = source;
    this.sparse = sparse;
    header = new Place(source, 1);
  }

  /**
   * Opens a file, which gzip may have compressed: JSON Lines if it begins with a brace, else CSV. A
   * byte order mark is passed over.
   *
   * @param noun what the file is, for messages, for example {@code trace}
   */
  public static TraceRows open(Path file, String noun) throws UserMistakeException {
    return open(file, noun, false);
  }

  /** Opens a table that Sluice wrote. Its columns may be asked for at any time. */
  public static TraceRows table(Path file) throws UserMistakeException {
    return open(file, "table", true);
  }

  private static TraceRows open(Path file, String noun, boolean written)
      throws UserMistakeException {
    String source = file.toString();
    if (Files.isDirectory(file)) {
      throw new UserMistakeException(
          source, "this is a folder, not a " + noun, "you meant a file inside it");
    }
    InputStream in = null;
    try {
      in = new BufferedInputStream(Files.newInputStream(file), BUFFER_BYTES);
      if (startsWith(beginning(in, GZIP.length), GZIP)) {
        in = new BufferedInputStream(new GZIPInputStream(in, BUFFER_BYTES), BUFFER_BYTES);
      }
      byte[] first = beginning(in, FIRST_BYTES_MAX);
      refusePacked(source, first);
      if (startsWith(first, BYTE_ORDER_MARK)) {
        in.skipNBytes(BYTE_ORDER_MARK.length);
        first = Arrays.copyOfRange(first, BYTE_ORDER_MARK.length, first.length);
      }
      Utf8.refuseOther(source, in);
      return new String(first, StandardCharsets.ISO_8859_1).stripLeading().startsWith("{")
          ? new JsonTraceRows(source, first, in)
          : new CsvTraceRows(source, in, written);
    } catch (IOException e) {
      close(in);
      throw new UserMistakeException(
          source,
          "the %s cannot be read (%s)".formatted(noun, UserMistakeException.reason(e)),
          "the path is meant relative to another folder, or the file was not copied whole",
          e);
    } catch (UserMistakeException e) {
      close(in);
      throw e;
    }
  }

  /** The first bytes, which are still to be read afterwards. */
  private static byte[] beginning(InputStream in, int most) throws IOException {
    in.mark(most);
    byte[] first = in.readNBytes(most);
    in.reset();
    return first;
  }

  private static boolean startsWith(byte[] bytes, byte[] beginning) {
    return Arrays.equals(Arrays.copyOf(bytes, beginning.length), beginning);
  }

  private static void refusePacked(String source, byte[] first) throws UserMistakeException {
    for (Map.Entry<String, List<String>> packed : PACKED.entrySet()) {
      if (startsWith(first, HexFormat.of().parseHex(packed.getKey()))) {
        throw new UserMistakeException(
            source,
            "the file is " + packed.getValue().get(0) + ", and only gzip is read",
            "it should be unpacked first: " + packed.getValue().get(1) + " " + source);
      }
    }
  }

  private static void close(@Nullable InputStream in) {
    if (in != null) {
      try {
        in.close();
      } catch (IOException e) {
        // nothing was written
      }
    }
  }

  /** Returns the names of the columns; of JSON Lines, the keys of the first line. */
  public final List<String> columns() {
    return columns;
  }

  public final Place header() {
    return header;
  }

  /**
   * Returns the number under which a column's fields are asked for; to be called before the first
   * row.
   */
  public abstract int column(String name) throws UserMistakeException;

  /** Returns a name as the file writes it, where no column has exactly that name. */
  final String inTheCaseOfTheFile(String name) {
    return columns.contains(name)
        ? name
        : columns.stream().filter(name::equalsIgnoreCase).findFirst().orElse(name);
  }

  /** Tells whether there is a column of that name, in any case of letters. */
  public final boolean has(String name) {
    return columns.contains(inTheCaseOfTheFile(name));
  }

  /** Tells whether rows may lack fields, so that the first row may name fewer columns. */
  public final boolean isSparse() {
    return sparse;
  }

  /** Goes on to the next row; false after the last. */
  public abstract boolean next() throws UserMistakeException;

  public abstract int line();

  @Override
  public abstract void close() throws IOException;

  public final Place place() {
    return new Place(source, line());
  }

  /** Tells whether the field is empty or absent. */
  public final boolean isEmpty(int column) {
    return fields.get(column).isEmpty();
  }

  /** Tells whether the field is a text of letters of ASCII. */
  public final boolean says(int column, String text) {
    return fields.get(column).equals(text);
  }

  /**
   * Returns the field as a text.
   *
   * @throws UserMistakeException if it is not UTF-8
   */
  public abstract String text(int column) throws UserMistakeException;

  /** Returns seconds as nanoseconds, rounded down: at most 9 × 10⁹ seconds from zero. */
  public final long secondsAsNs(int column, String name) throws UserMistakeException {
    return fixed(column, name, 9, WHOLE_SECONDS_MAX);
  }

  /** Returns milliseconds as nanoseconds, rounded down: at most 9 × 10¹² milliseconds from zero. */
  public final long msAsNs(int column, String name) throws UserMistakeException {
    return fixed(column, name, 6, 1000 * WHOLE_SECONDS_MAX);
  }

  /** Returns a whole number, which may be written with a fraction of zeros, as in 4.0. */
  public final long whole(int column, String name) throws UserMistakeException {
    long thousandths = fixed(column, name, 3, 1_000_000_000_000L);
    if (thousandths % 1000 != 0) {
      throw noNumber(column, name, "a whole number");
    }
    return thousandths / 1000;
  }

  /**
   * Returns a decimal number × 10^scale, rounded down. Computes in whole numbers, so that equal
   * texts give equal times.
   */
  private long fixed(int column, String name, int scale, long most) throws UserMistakeException {
    String text = fields.get(column);
    long value = 0;
    int decimals = -1; // digits behind the point; −1: no point yet
    for (int i = 0; i < text.length(); i++) {
      char letter = text.charAt(i);
      if (letter >= '0' && letter <= '9') {
        value = 10 * value + letter - '0';
        decimals += decimals >= 0 ? 1 : 0;
      } else if (letter == '.' && decimals < 0) {
        decimals = 0;
      } else {
        return slowly(column, name, scale, most);
      }
    }
    int missing = scale - Math.max(0, decimals);
    if (missing < 0
        || text.length() + missing > LONG_DIGITS
        || text.length() <= (decimals < 0 ? 0 : 1)) {
      return slowly(column, name, scale, most);
    }
    long scaled = value * power(missing);
    if (scaled > most * power(scale)) {
      throw outOfRange(column, name);
    }
    return scaled;
  }

  private static long power(int digits) {
    long power = 1;
    for (int i = 0; i < digits; i++) {
      power *= 10;
    }
    return power;
  }

  /** A number with a sign, an exponent, many digits, or more than count; or none at all. */
  private long slowly(int column, String name, int scale, long most) throws UserMistakeException {
    BigDecimal number = Numbers.decimal(text(column));
    if (number == null) {
      throw noNumber(column, name, "a number");
    }
    if (number.abs().compareTo(BigDecimal.valueOf(most)) > 0) {
      throw outOfRange(column, name);
    }
    return number.movePointRight(scale).setScale(0, RoundingMode.FLOOR).longValueExact();
  }

  private UserMistakeException noNumber(int column, String name, String wanted)
      throws UserMistakeException {
    return mistake(
        "%s (%s) is not %s".formatted(name, Written.of(text(column)), wanted),
        "the columns of this line are shifted");
  }

  private UserMistakeException outOfRange(int column, String name) throws UserMistakeException {
    return mistake(
        "%s (%s) is out of range".formatted(name, Written.of(text(column))),
        "its unit is wrong, or a digit is");
  }

  public final UserMistakeException mistake(String what, String maybe) {
    return new UserMistakeException(place(), what, maybe);
  }

  public final UserMistakeException lacks(String column) {
    return new UserMistakeException(
        header(),
        "the column (%s) is missing".formatted(column),
        NearestName.advice(column, columns, "columns of this file"));
  }

  final UserMistakeException unreadable(IOException e) {
    boolean cut = e instanceof EOFException;
    return new UserMistakeException(
        place().toString(),
        cut
            ? "the file ends in the middle of its compressed bytes"
            : "the file cannot be read on (%s)".formatted(UserMistakeException.reason(e)),
        cut || e instanceof ZipException
            ? "it was not copied whole"
            : "its disk or its share is gone",
        e);
  }

  /**
   * Rows of a CSV file: names of columns in the first line, blank lines passed over. A person's
   * file may have blanks around fields, and lines that begin with # are passed over; each of its
   * rows is one line. A field of a table that Sluice wrote is taken as it is, line breaks included.
   */
  private static final class CsvTraceRows extends TraceRows {
    private static final int LINE_BYTES_MAX = 1 << 20;

    private final boolean written;
    private final Line read = new Line();
    private final CloseableIterator<Line> lines;
    private int line;

    CsvTraceRows(String source, InputStream in, boolean written) throws UserMistakeException {
      super(source, false);
      this.written = written;
      lines =
          CsvReader.builder()
              .commentStrategy(written ? CommentStrategy.NONE : CommentStrategy.SKIP)
              .extraFieldStrategy(FieldMismatchStrategy.IGNORE)
              .missingFieldStrategy(FieldMismatchStrategy.IGNORE)
              .allowUnclosedQuote(false)
              .maxBufferSize(LINE_BYTES_MAX)
              .build(read, in, StandardCharsets.ISO_8859_1) // a letter is a byte
              .iterator();
      List<String> names = new ArrayList<>();
      if (nextLine()) {
        for (int i = 0; i < fields.size(); i++) {
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

    /** Takes the fields of the line that is read, whose letters are bytes. */
    private final class Line extends AbstractBaseCsvCallbackHandler<Line> {
      private int letters;
      private boolean holdsBreak;
      private boolean isBlank;

      @Override
      protected void handleBegin(long startingLine) {
        line = Math.toIntExact(startingLine);
        fields.clear();
        letters = 0;
        holdsBreak = false;
        isBlank = false;
      }

      @Override
      protected void handleField(int column, char[] chars, int offset, int length, boolean quoted) {
        letters += length;
        if (letters > LINE_BYTES_MAX) {
          return;
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
        String field = new String(chars, from, to - from);
        fields.add(field);
        holdsBreak |= quoted && field.indexOf('\n') >= 0;
        isBlank = column == 0 && !quoted && field.isBlank();
      }

      @Override
      protected Line buildRecord() {
        return this;
      }
    }

    @Override
    public String text(int column) throws UserMistakeException {
      return Utf8.decoded(place(), fields.get(column).getBytes(StandardCharsets.ISO_8859_1));
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
    public boolean next() throws UserMistakeException {
      if (!nextLine()) {
        return false;
      }
      if (fields.size() != columns.size()) {
        throw mistake(
            "this row has (%d) fields, not (%d)".formatted(fields.size(), columns.size()),
            "a comma is missing or too many, or the line was cut");
      }
      return true;
    }

    @Override
    public int line() {
      return line;
    }

    private boolean nextLine() throws UserMistakeException {
      try {
        do {
          if (!lines.hasNext()) {
            return false;
          }
          lines.next();
        } while (read.isBlank);
      } catch (UncheckedIOException e) {
        throw unreadable(Objects.requireNonNull(e.getCause()));
      } catch (CsvParseException e) {
        throw String.valueOf(e.getMessage()).contains("buffer") ? tooLong() : unclosed();
      }
      if (read.letters > LINE_BYTES_MAX) {
        throw tooLong();
      }
      if (read.holdsBreak && !written) {
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

  /** Rows of JSON Lines: one object a row. A key that a row lacks is an empty field. */
  private static final class JsonTraceRows extends TraceRows {
    private static final JsonFactory FACTORY =
        JsonFactory.builder().enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION).build();
    private static final JsonFactory FAST = new JsonFactory();

    private final JsonParser parser;
    private final List<String> wanted = new ArrayList<>();

    /**
     * @param firstBytes beginning of the stream, which holds the first object, or as much of it as
     *     a first object may have
     */
    JsonTraceRows(String source, byte[] firstBytes, InputStream in) throws UserMistakeException {
      super(source, true);
      List<String> keys = new ArrayList<>();
      try {
        try (JsonParser first = FACTORY.createParser(firstBytes)) {
          first.nextToken();
          for (String key = first.nextFieldName(); key != null; key = first.nextFieldName()) {
            keys.add(key);
            first.nextToken();
            first.skipChildren();
          }
        }
        parser = FAST.createParser(in);
      } catch (JsonProcessingException e) {
        throw notJson(new Place(source, 1), e);
      } catch (IOException e) {
        throw new IllegalStateException("bytes in memory can be read", e);
      }
      columns = List.copyOf(keys);
    }

    @Override
    public int column(String asked) {
      String name = inTheCaseOfTheFile(asked);
      int known = wanted.indexOf(name);
      if (known >= 0) {
        return known;
      }
      wanted.add(name);
      return wanted.size() - 1;
    }

    @Override
    public boolean next() throws UserMistakeException {
      try {
        JsonToken token = parser.nextToken();
        if (token == null) {
          return false;
        }
        if (token != JsonToken.START_OBJECT) {
          throw mistake("a row is no JSON object", "each line should be {…}");
        }
        fields.clear();
        fields.addAll(Collections.nCopies(wanted.size(), ""));
        Set<Integer> given = new HashSet<>();
        for (String key = parser.nextFieldName(); key != null; key = parser.nextFieldName()) {
          JsonToken value = parser.nextToken();
          int column = wanted.indexOf(key);
          if (column < 0) {
            parser.skipChildren();
          } else {
            fields.set(column, read(given.add(column), key, value));
          }
        }
        return true;
      } catch (JsonProcessingException e) {
        throw notJson(place(), e);
      } catch (IOException e) {
        throw unreadable(e);
      }
    }

    private String read(boolean first, String key, JsonToken value)
        throws IOException, UserMistakeException {
      if (!first) {
        throw mistake("the key (%s) stands there twice".formatted(key), "one should be removed");
      }
      if (!value.isScalarValue()) {
        throw mistake("%s is no single value".formatted(key), "another key was meant");
      }
      return value == JsonToken.VALUE_NULL ? "" : parser.getText();
    }

    @Override
    public String text(int column) {
      return fields.get(column);
    }

    @Override
    public int line() {
      return Math.max(1, parser.currentTokenLocation().getLineNr());
    }

    private static UserMistakeException notJson(Place place, JsonProcessingException e) {
      int line = e.getLocation() == null ? place.line() : e.getLocation().getLineNr();
      return new UserMistakeException(
          new Place(place.source(), line).toString(),
          "this is not JSON (%s)".formatted(Written.of(UserMistakeException.reason(e).strip())),
          "the line was cut, or a quote or a bracket is wrong",
          e);
    }

    @Override
    public void close() throws IOException {
      parser.close();
    }
  }
}
