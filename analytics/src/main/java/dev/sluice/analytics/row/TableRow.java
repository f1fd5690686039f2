package dev.sluice.analytics.row;

import dev.sluice.contract.file.TraceRows;
import dev.sluice.contract.file.UserMistakeException;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The present row of a run's table, trace.csv, dispatches.csv or metrics.csv: cells by the names of
 * columns, as docs/results.md lists them. The next row takes its place.
 *
 * <p>Each method throws {@link UserMistakeException} with the file and the line if the column is
 * missing, or its cell is not what the method returns.
 */
public final class TableRow {
  private final TraceRows rows;
  private final Map<String, Integer> columns = new HashMap<>();
  private final Map<String, String> names = new HashMap<>();

  TableRow(TraceRows rows) {
    this.rows = rows;
  }

  @FunctionalInterface
  public interface Taker {
    void take(TableRow row) throws UserMistakeException;
  }

  private int at(String column) throws UserMistakeException {
    Integer known = columns.get(column);
    if (known == null) {
      known = rows.column(column);
      columns.put(column, known);
    }
    return known;
  }

  /** Tells whether the row has a cell under the column, and the cell is not empty. */
  public boolean has(String column) throws UserMistakeException {
    return rows.has(column) && !rows.isEmpty(at(column));
  }

  /** Tells whether the cell is a text, which has letters of ASCII alone. */
  public boolean says(String column, String text) throws UserMistakeException {
    return rows.says(at(column), text);
  }

  public String text(String column) throws UserMistakeException {
    return rows.text(at(column));
  }

  /** The cell as a text of which there are few: equal ones are one object. */
  public String name(String column) throws UserMistakeException {
    return names.computeIfAbsent(text(column), name -> name);
  }

  public int whole(String column) throws UserMistakeException {
    long whole = rows.whole(at(column), column);
    if (whole != (int) whole) {
      throw rows.mistake("%s (%d) is out of range".formatted(column, whole), "a digit is wrong");
    }
    return (int) whole;
  }

  public long secondsAsNs(String column) throws UserMistakeException {
    return rows.secondsAsNs(at(column), column);
  }

  /** The cell, which is in seconds, as nanoseconds; if it is empty, another value. */
  public long secondsAsNs(String column, long ifEmpty) throws UserMistakeException {
    return rows.isEmpty(at(column)) ? ifEmpty : secondsAsNs(column);
  }

  public long msAsNs(String column) throws UserMistakeException {
    return rows.msAsNs(at(column), column);
  }

  /** The cell, which is in milliseconds, as nanoseconds; if it is empty, another value. */
  public long msAsNs(String column, long ifEmpty) throws UserMistakeException {
    return rows.isEmpty(at(column)) ? ifEmpty : msAsNs(column);
  }

  /** All cells as texts, by column, in the order of the file. */
  public Map<String, String> cells() throws UserMistakeException {
    Map<String, String> cells = new LinkedHashMap<>();
    for (String column : rows.columns()) {
      cells.put(column, text(column));
    }
    return cells;
  }

  /** The mistake that this row is none that Sluice writes. */
  UserMistakeException unreadable(String why) {
    return rows.mistake("this row cannot be read (" + why + ")", "the run's folder is not whole");
  }
}
