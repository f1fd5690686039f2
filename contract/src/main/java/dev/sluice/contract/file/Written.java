package dev.sluice.contract.file;

import java.util.regex.Pattern;

/** Texts of a user in messages: short, and without letters that a terminal would obey. */
public final class Written {
  private static final int VALUE_MAX = 60;
  private static final int SENTENCE_MAX = 900;
  private static final Pattern LONG_WORD = Pattern.compile("(\\S{60})\\S{240,}");

  private Written() {}

  /** A value in a message: at most {@value #VALUE_MAX} of its letters. */
  public static String of(String value) {
    return shortened(value, VALUE_MAX);
  }

  /** A sentence in which a word without end, and a sentence without end, are cut. */
  static String sentence(String text) {
    return shortened(LONG_WORD.matcher(text).replaceAll("$1…"), SENTENCE_MAX);
  }

  /** A text of at most a number of letters, with its control characters written out. */
  static String shortened(String text, int most) {
    boolean isLong = text.length() > most;
    int end = isLong && Character.isHighSurrogate(text.charAt(most - 1)) ? most - 1 : most;
    return visible(isLong ? text.substring(0, end) + "…" : text);
  }

  /** The text with its control characters, line breaks too, as \\u and four digits. */
  private static String visible(String text) {
    if (text.chars().noneMatch(Character::isISOControl)) {
      return text;
    }
    var written = new StringBuilder();
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (Character.isISOControl(c)) {
        written.append("\\u%04x".formatted((int) c));
      } else {
        written.append(c);
      }
    }
    return written.toString();
  }
}
