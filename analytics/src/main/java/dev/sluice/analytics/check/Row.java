package dev.sluice.analytics.check;

import dev.sluice.contract.file.UserMistakeException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * A row of a table, whose fields are read from its cells as it is made. Times are nanoseconds since
 * time zero, to the microsecond; durations are exact nanoseconds.
 */
abstract class Row {
  /** Value of an empty cell. */
  static final long NONE = Long.MIN_VALUE;

  private static final int DIGITS_MAX = 18;
  private static final int NS_DECIMALS_OF_SECONDS = 9;
  private static final int NS_DECIMALS_OF_MS = 6;

  /** Value of a text that is no such number. */
  private static final long WRONG = Long.MIN_VALUE + 1;

  /** Place of the row in its table, from 0. */
  final int row;

  /** Where the row stands: file:line. */
  final String where;

  private final Cells cells;

  Row(Cells cells) {
    this.cells = cells;
    row = cells.row;
    where = cells.where;
  }

  /** Maker of a row of the line that the cells stand on. */
  interface Maker<T> {
    T of(Cells cells) throws UserMistakeException;
  }

  static final class Cells {
    private final Path file;
    private final Map<String, Integer> places = new HashMap<>();
    private final Findings findings;
    private final Map<String, String> shared = new HashMap<>();
    private List<String> fields = List.of();
    private String where = "";
    private int row = -1;

    Cells(Path file, List<String> header, Findings findings) {
      this.file = file;
      this.findings = findings;
      for (int i = 0; i < header.size(); i++) {
        places.putIfAbsent(header.get(i), i);
      }
    }

    void next(List<String> lineFields, long line) {
      fields = lineFields;
      where = file.getFileName() + ":" + line;
      row++;
    }
  }

  /** The row in words, as job (job-17). */
  abstract String words();

  /** What became of it, as its row says. */
  abstract String state();

  final String text(String column) throws UserMistakeException {
    Integer place = cells.places.get(column);
    if (place == null) {
      throw new UserMistakeException(
          cells.file + ":1",
          "column (" + column + ") is missing",
          "another program has written the file");
    }
    return cells.fields.get(place);
  }

  /** Text that many rows have, held once. */
  final String name(String column) throws UserMistakeException {
    return cells.shared.computeIfAbsent(text(column), String::intern);
  }

  final long seconds(String column) throws UserMistakeException {
    return number(column, NS_DECIMALS_OF_SECONDS);
  }

  final long ms(String column) throws UserMistakeException {
    return number(column, NS_DECIMALS_OF_MS);
  }

  final long count(String column) throws UserMistakeException {
    return number(column, 0);
  }

  /** What is no number is a fault. */
  private long number(String column, int scale) throws UserMistakeException {
    String text = text(column);
    long number = decimal(text, scale);
    if (number == WRONG) {
      cells.findings.fault(Rule.FORMAT, where, "%s is (%s), which is no number", column, text);
      return NONE;
    }
    return number;
  }

  /** Reads a text of 1 to 18 digits and nothing else; −1 for any other text. */
  static long digits(String text) {
    return text.indexOf('.') < 0 ? Math.max(-1, decimal(text, 0)) : -1;
  }

  /**
   * Reads a number without rounding it.
   *
   * @return the number × 10^scale; {@link #NONE} if the text is empty, {@link #WRONG} if it is no
   *     such number, or one of more decimals
   */
  private static long decimal(String text, int scale) {
    if (text.isEmpty()) {
      return NONE;
    }
    int at = text.charAt(0) == '-' ? 1 : 0;
    long value = 0;
    int digits = 0;
    int decimals = -1;
    for (; at < text.length(); at++) {
      char c = text.charAt(at);
      if (c == '.' && decimals < 0 && digits > 0) {
        decimals = 0;
      } else if (c >= '0' && c <= '9') {
        value = 10 * value + c - '0';
        digits++;
        decimals += decimals < 0 ? 0 : 1;
      } else {
        return WRONG;
      }
    }
    int missing = scale - Math.max(0, decimals);
    if (digits == 0 || missing < 0 || digits + missing > DIGITS_MAX) {
      return WRONG;
    }
    for (int i = 0; i < missing; i++) {
      value *= 10;
    }
    return text.charAt(0) == '-' ? -value : value;
  }
}
