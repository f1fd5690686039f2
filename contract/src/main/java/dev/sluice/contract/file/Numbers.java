package dev.sluice.contract.file;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

public final class Numbers {
  static final Pattern WHOLE = Pattern.compile("[-+]?\\d+");

  /** A number in digits, with or without a fraction and an exponent. */
  public static final Pattern DECIMAL =
      Pattern.compile("[-+]?(\\d+(\\.\\d*)?|\\.\\d+)([eE][-+]?\\d+)?");

  static final Pattern NOT_FINITE =
      Pattern.compile("[-+]?\\.?(nan|inf|infinity)", Pattern.CASE_INSENSITIVE);

  private static final Pattern GROUPED = Pattern.compile("[-+]?\\d+(_\\d+)+(\\.\\d+)?");

  private static final Pattern OTHER_BASE =
      Pattern.compile(
          "([-+]?)0(x[0-9a-f]{1,15}|o[0-7]{1,20}|b[01]{1,60})", Pattern.CASE_INSENSITIVE);

  private static final int LETTERS_MAX = 100;
  private static final int SCALE_MAX = 400;

  private Numbers() {}

  /**
   * Reads a decimal number without rounding it. Exponents beyond ±{@value #SCALE_MAX} are refused:
   * the digits of 1e-99999999 would fill the memory of a computation with it.
   *
   * @return null if the text is no number, or one of too many digits
   */
  public static @Nullable BigDecimal decimal(String text) {
    if (text.length() > LETTERS_MAX || !DECIMAL.matcher(text).matches()) {
      return null;
    }
    try {
      var number = new BigDecimal(text);
      return Math.abs((long) number.scale()) <= SCALE_MAX ? number : null;
    } catch (NumberFormatException e) {
      return null; // its exponent is beyond that of an int
    }
  }

  /**
   * The number in digits that a text means by the rules of YAML 1.1: {@code 1_000}, {@code 0x1F}.
   *
   * @return null if it means none
   */
  static @Nullable String meant(String text) {
    if (GROUPED.matcher(text).matches()) {
      return text.replace("_", "");
    }
    Matcher other = OTHER_BASE.matcher(text);
    if (!other.matches()) {
      return null;
    }
    int base =
        switch (Character.toLowerCase(other.group(2).charAt(0))) {
          case 'x' -> 16;
          case 'o' -> 8;
          default -> 2;
        };
    return other.group(1) + new BigInteger(other.group(2).substring(1), base);
  }

  /** The shortest text that reads as the double; without a fraction where it has none. */
  public static String text(double value) {
    return value == Math.rint(value) && Math.abs(value) < 1e15
        ? BigDecimal.valueOf(value).setScale(0).toPlainString()
        : Double.toString(value);
  }
}
