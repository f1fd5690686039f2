package dev.sluice.analytics.check;

import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Cells of one line of a table, while a row is made of them, column by column in the order in which
 * the columns were named. What is no number is a fault.
 */
final class Cells {
  private static final int NS_DECIMALS_OF_SECONDS = 9;
  private static final int NS_DECIMALS_OF_MS = 6;

  private final String file;
  private final List<String> columns;
  private final int[] places;
  private final Findings findings;
  private final Map<String, String> shared = new HashMap<>();
  private List<String> fields = List.of();
  private long line;
  private int row = -1;
  private int next;

  /**
   * @param columns columns, in the order in which each row asks for them
   * @param places place of each of these columns in a line
   */
  Cells(String file, List<String> columns, int[] places, Findings findings) {
    this.file = file;
    this.columns = columns;
    this.places = places;
    this.findings = findings;
  }

  void on(List<String> lineFields, long lineNumber) {
    fields = lineFields;
    line = lineNumber;
    next = 0;
  }

  String where() {
    return file + ":" + line;
  }

  /** Place of the row in its table, from 0; each call begins a further row. */
  int row() {
    return ++row;
  }

  /** Text of the next column, which must be the named one. */
  String text(String column) {
    if (!columns.get(next).equals(column)) {
      throw new IllegalStateException(columns.get(next) + " comes before " + column);
    }
    return fields.get(places[next++]);
  }

  /** Text that many rows have, held once. */
  String name(String column) {
    String text = text(column);
    String same = shared.putIfAbsent(text, text);
    return same == null ? text : same;
  }

  long secondsAsNs(String column) {
    return number(column, NS_DECIMALS_OF_SECONDS);
  }

  long msAsNs(String column) {
    return number(column, NS_DECIMALS_OF_MS);
  }

  long count(String column) {
    return number(column, 0);
  }

  private long number(String column, int scale) {
    String text = text(column);
    long number = Decimal.read(text, scale);
    if (number == Decimal.WRONG) {
      findings.fault(
          Rule.FORMAT, where(), "%s is (%s), which is no number".formatted(column, text));
      return Decimal.NONE;
    }
    return number;
  }
}
