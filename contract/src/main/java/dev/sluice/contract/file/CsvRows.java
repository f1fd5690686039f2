package dev.sluice.contract.file;

import de.siegmar.fastcsv.reader.CommentStrategy;
import de.siegmar.fastcsv.reader.CsvParseException;
import de.siegmar.fastcsv.reader.CsvReader;
import de.siegmar.fastcsv.reader.CsvRecord;
import de.siegmar.fastcsv.reader.FieldMismatchStrategy;
import java.io.IOException;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;

/**
 * A CSV file that a user may have written: comment lines, which begin with #, a line of column
 * names, and rows. Names and fields are read without the blanks around them.
 *
 * @param comments the comment lines without their #
 * @param lines the line of column names, and the rows below it; none if nothing but comments stands
 *     in the file
 */
public record CsvRows(List<String> comments, List<Row> lines, List<String> columns) {
  private static final int BYTES_MAX = 256_000_000;

  /** Reads a whole file, which messages call by a noun such as {@code latency table}. */
  public static CsvRows read(Path file, String noun) throws UserMistakeException {
    String source = file.toString();
    if (Files.isDirectory(file)) {
      throw new UserMistakeException(
          source, "this is a folder, not a " + noun, "you meant a file inside it");
    }
    try {
      long bytes = Files.size(file);
      if (bytes > BYTES_MAX) {
        throw new UserMistakeException(
            source,
            "the %s (%s) is larger than %s"
                .formatted(noun, ByteSize.text(bytes), ByteSize.text(BYTES_MAX)),
            "you meant another file");
      }
      return parse(source, Utf8.decoded(source, Files.readAllBytes(file)));
    } catch (IOException e) {
      throw new UserMistakeException(
          source,
          "the " + noun + " cannot be read (" + UserMistakeException.reason(e) + ")",
          "the path is meant relative to another folder",
          e);
    }
  }

  /** Reads a text, whose source messages name. */
  public static CsvRows parse(String source, String text) throws UserMistakeException {
    List<String> comments = new ArrayList<>();
    List<Row> lines = new ArrayList<>();
    List<String> columns = List.of();
    int line = 1;
    try (var reader =
        CsvReader.builder()
            .commentStrategy(CommentStrategy.READ)
            .extraFieldStrategy(FieldMismatchStrategy.IGNORE)
            .missingFieldStrategy(FieldMismatchStrategy.IGNORE)
            .ofCsvRecord(text)) {
      for (CsvRecord record : reader) {
        line = Math.toIntExact(record.getStartingLineNumber());
        if (record.isComment()) {
          comments.add(record.getField(0).strip());
          continue;
        }
        List<String> fields = record.getFields().stream().map(String::strip).toList();
        columns = lines.isEmpty() ? fields : columns;
        var place = new Place(source, line);
        lines.add(new Row(place, columns, fields));
      }
    } catch (CsvParseException | IOException e) {
      throw new UserMistakeException(
          new Place(source, line).toString(),
          "this is no CSV file (from here on: %s)".formatted(e.getMessage()),
          "a quote is not closed, or you meant another file",
          e);
    }
    return new CsvRows(comments, lines, columns);
  }

  public boolean isEmpty() {
    return lines.isEmpty();
  }

  /** The line of the names of the columns; there must be one. */
  public Row header() {
    return lines.get(0);
  }

  public List<Row> rows() {
    return lines.isEmpty() ? List.of() : lines.subList(1, lines.size());
  }

  public boolean repeatsColumn() {
    return new HashSet<>(columns).size() < columns.size();
  }

  /**
   * One line.
   *
   * @param place the place of its first line
   */
  public record Row(Place place, List<String> columns, List<String> fields) {
    public UserMistakeException mistake(String what, String maybe) {
      return new UserMistakeException(place, what, maybe);
    }

    /** Checks that the row has a field for each column; to be asked before its fields. */
    public void checkWidth(String maybe) throws UserMistakeException {
      if (fields.size() != columns.size()) {
        throw mistake("this row has " + fields.size() + " fields, not " + columns.size(), maybe);
      }
    }

    public String text(String column) {
      return fields.get(columns.indexOf(column));
    }

    /** A text that is not empty, and has no control character in it. */
    public String name(String column) throws UserMistakeException {
      String name = text(column);
      if (name.isEmpty()) {
        throw mistake(column + " is empty", "there is a comma too many");
      }
      if (name.chars().anyMatch(Character::isISOControl)) {
        throw mistake(
            "%s (%s) holds a control character".formatted(column, Written.of(name)),
            "a quote is not closed there, or the file is no text");
      }
      return name;
    }

    /** A whole number of at least 1. */
    public int count(String column, String maybe) throws UserMistakeException {
      return Math.toIntExact(whole(column, 1, Integer.MAX_VALUE, maybe));
    }

    /** A whole number of at least 0. */
    public long whole(String column, String maybe) throws UserMistakeException {
      return whole(column, 0, Long.MAX_VALUE, maybe);
    }

    private long whole(String column, long least, long most, String maybe)
        throws UserMistakeException {
      String text = text(column);
      try {
        long number = Long.parseLong(text);
        if (number >= least && number <= most) {
          return number;
        }
      } catch (NumberFormatException e) {
        // as for a number out of range
      }
      throw mistake(
          "%s (%s) must be a whole number of at least %d and at most %d"
              .formatted(column, Written.of(text), least, most),
          maybe);
    }

    public double number(String column, Range range, String maybe) throws UserMistakeException {
      String text = text(column);
      BigDecimal number = Numbers.decimal(text);
      if (number == null || !range.contains(number.doubleValue())) {
        throw mistake(
            "%s (%s) must be a number of %s".formatted(column, Written.of(text), range.words()),
            maybe);
      }
      return number.doubleValue() + 0.0; // no negative zero
    }

    /**
     * A number within the range, times 10^decimals, rounded to the nearest whole number: exactly
     * what the digits say.
     */
    public long fixed(String column, int decimals, Range range, String maybe)
        throws UserMistakeException {
      number(column, range, maybe);
      BigDecimal number = Objects.requireNonNull(Numbers.decimal(text(column)));
      return number.movePointRight(decimals).setScale(0, RoundingMode.HALF_UP).longValueExact();
    }
  }
}
