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

  /**
   * Lines in which control characters are written out as \\u and four digits, so that a terminal
   * obeys none of them. Ends of lines and tabs stay.
   */
  public static String lines(String text) {
    var written = new StringBuilder(text.length());
    for (int at = 0; at < text.length(); at++) {
      if (isObeyed(text, at)) {
        written.append("\\u%04x".formatted((int) text.charAt(at)));
      } else {
        written.append(text.charAt(at));
      }
    }
    return written.toString();
  }

  private static boolean isObeyed(String text, int at) {
    char letter = text.charAt(at);
    return Character.isISOControl(letter)
        && letter != '\n'
        && letter != '\t'
        && !(letter == '\r' && text.startsWith("\n", at + 1));
  }

  /** A sentence in which a word without end, and a sentence without end, are cut. */
  static String sentence(String text) {
    return shortened(LONG_WORD.matcher(text).replaceAll("$1…"), SENTENCE_MAX);
  }

  /**
   * A text of at most a number of letters, with its control characters, line breaks too, written
   * out as \\u and four digits, which count as six letters.
   */
  static String shortened(String text, int most) {
    if (text.length() <= most && !holdsControl(text)) {
      return text;
    }
    var written = new StringBuilder();
    int at = 0;
    while (at < text.length()) {
      int letter = text.codePointAt(at);
      String visible =
          Character.isISOControl(letter) ? "\\u%04x".formatted(letter) : Character.toString(letter);
      if (written.length() + visible.length() > most) {
        return written + "…";
      }
      written.append(visible);
      at += Character.charCount(letter);
    }
    return written.toString();
  }

  /** A loop: a stream for each value of a file of millions costs more than their reading. */
  private static boolean holdsControl(String text) {
    for (int i = 0; i < text.length(); i++) {
      if (Character.isISOControl(text.charAt(i))) {
        return true;
      }
    }
    return false;
  }
}
