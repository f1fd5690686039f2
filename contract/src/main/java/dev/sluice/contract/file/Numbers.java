package dev.sluice.contract.file;

import java.math.BigDecimal;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Numbers as files write them. */
public final class Numbers {
  static final Pattern WHOLE = Pattern.compile("[-+]?\\d+");

  /** A number in digits, with or without a fraction and an exponent. */
  public static final Pattern DECIMAL =
      Pattern.compile("[-+]?(\\d+(\\.\\d*)?|\\.\\d+)([eE][-+]?\\d+)?");

  static final Pattern NOT_FINITE =
      Pattern.compile("[-+]?\\.?(nan|inf|infinity)", Pattern.CASE_INSENSITIVE);

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

  /** The shortest text that reads as the double; without a fraction where it has none. */
  public static String text(double value) {
    return value == Math.rint(value) && Math.abs(value) < 1e15
        ? BigDecimal.valueOf(value).setScale(0).toPlainString()
        : Double.toString(value);
  }
}
