package dev.sluice.analytics.report;

import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;

/** Text that fits a terminal of 80 columns. */
public final class ScreenText {
  /** Number of columns that every terminal has. */
  public static final int COLUMNS = 80;

  /** A space to break a line at: none behind a digit, so that a number keeps its unit. */
  private static final Pattern BREAK = Pattern.compile("(?<!\\d) ");

  private ScreenText() {}

  /**
   * Breaks a text into lines of at most {@link #COLUMNS} columns. A word that alone is longer stays
   * whole, and so does what stands before the text's own words: {@code prefix} is followed by the
   * first words, and each further line begins below them.
   *
   * @param prefix beginning of the first line, whose width is the indentation of the others
   * @return lines with line feeds between them, none behind the last
   */
  public static String wrapped(String prefix, String text) {
    var lines = new StringBuilder(prefix);
    String indentation = " ".repeat(prefix.length());
    int column = prefix.length();
    boolean begun = false;
    for (String word : BREAK.split(text, -1)) {
      if (begun && column + 1 + word.length() > COLUMNS) {
        lines.append('\n').append(indentation);
        column = indentation.length();
      } else if (begun) {
        lines.append(' ');
        column++;
      }
      lines.append(word);
      column += word.length();
      begun = true;
    }
    return lines.toString();
  }

  /**
   * Rows below each other, each column as wide as its widest cell.
   *
   * @param rows rows of equally many cells, the headings first
   * @param left indexes of the columns whose cells begin at the left
   * @return a line for each row, each ended by a line feed
   */
  public static String table(List<List<String>> rows, Set<Integer> left) {
    int[] widths = new int[rows.get(0).size()];
    for (List<String> row : rows) {
      for (int i = 0; i < widths.length; i++) {
        widths[i] = Math.max(widths[i], row.get(i).length());
      }
    }
    var text = new StringBuilder();
    for (List<String> row : rows) {
      var line = new StringBuilder();
      for (int i = 0; i < widths.length; i++) {
        String gap = " ".repeat(widths[i] - row.get(i).length());
        line.append(i == 0 ? "" : "  ");
        line.append(left.contains(i) ? row.get(i) + gap : gap + row.get(i));
      }
      text.append(line.toString().stripTrailing()).append('\n');
    }
    return text.toString();
  }
}
