package dev.sluice.analytics.check;

/** Decimal numbers as whole multiples of a power of ten, without rounding. */
public final class Decimal {
  /** Value of an empty cell. */
  public static final long NONE = Long.MIN_VALUE;

  /** Value of a text that is no such number. */
  static final long WRONG = Long.MIN_VALUE + 1;

  private static final int DIGITS_MAX = 18;

  private Decimal() {}

  /** Reads a text of 1 to 18 digits and nothing else; −1 for any other text. */
  public static long digits(String text) {
    if (text.isEmpty() || text.length() > DIGITS_MAX) {
      return -1;
    }
    long value = 0;
    for (int i = 0; i < text.length(); i++) {
      int digit = text.charAt(i) - '0';
      if (digit < 0 || digit > 9) {
        return -1;
      }
      value = 10 * value + digit;
    }
    return value;
  }

  /**
   * Reads a number with at most six decimals.
   *
   * @return the number × 10^scale; {@link #NONE} if the text is empty, {@link #WRONG} if it is no
   *     such number
   */
  static long read(String text, int scale) {
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
