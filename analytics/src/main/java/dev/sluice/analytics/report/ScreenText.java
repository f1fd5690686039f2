package dev.sluice.analytics.report;

import java.util.regex.Pattern;

/** Text that fits a terminal of 80 columns. */
public final class ScreenText {
  /** Number of columns that every terminal has. */
  public static final int COLUMNS = 80;

  private static final int LABEL_WIDTH = 14;

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

  /** A label, and beside it a text, whose further lines begin below its first one. */
  public static String labeled(String indentation, String label, String text) {
    return wrapped(label(indentation, label), text);
  }

  public static String label(String indentation, String label) {
    return String.format("%s%-" + LABEL_WIDTH + "s ", indentation, label);
  }
}
