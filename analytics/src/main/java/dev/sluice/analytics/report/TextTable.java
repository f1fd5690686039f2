package dev.sluice.analytics.report;

import java.util.List;
import java.util.Locale;
import java.util.Set;

/**
 * Rows of cells below each other, for a terminal, which can be printed one by one. No row ends in
 * spaces. A cell that is wider than its column moves the rest of its row alone.
 *
 * @param columns format of a row, with the width of each column, such as {@code "%-8s %6s"}
 */
public record TextTable(String columns) {

  /** A row, or the headings, without a line feed. */
  public String row(Object... cells) {
    return String.format(Locale.ROOT, columns, cells).stripTrailing();
  }

  /**
   * A whole table, two spaces between its columns, each as wide as its widest cell.
   *
   * @param rows rows of equally many cells, the headings first
   * @param left indexes of the columns whose cells begin at the left
   * @return a line for each row, each ended by a line feed
   */
  public static String fitted(List<List<String>> rows, Set<Integer> left) {
    var columns = new StringBuilder();
    for (int i = 0; i < rows.get(0).size(); i++) {
      int column = i;
      int width = rows.stream().mapToInt(row -> row.get(column).length()).max().orElse(0);
      String narrowed = width == 0 ? "" : (left.contains(i) ? "-" : "") + width;
      columns.append(i == 0 ? "%" : "  %").append(narrowed).append('s');
    }
    var table = new TextTable(columns.toString());
    var text = new StringBuilder();
    rows.forEach(row -> text.append(table.row(row.toArray())).append('\n'));
    return text.toString();
  }
}
