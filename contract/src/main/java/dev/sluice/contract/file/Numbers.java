package dev.sluice.contract.file;

import java.math.BigDecimal;
import java.util.regex.Pattern;

/** Numbers as files write them. */
public final class Numbers {
  static final Pattern WHOLE = Pattern.compile("[-+]?\\d+");

  /** A number in digits, with or without a fraction and an exponent. */
  public static final Pattern DECIMAL =
      Pattern.compile("[-+]?(\\d+(\\.\\d*)?|\\.\\d+)([eE][-+]?\\d+)?");

  static final Pattern NOT_FINITE =
      Pattern.compile("[-+]?\\.?(nan|inf|infinity)", Pattern.CASE_INSENSITIVE);

  private Numbers() {}

  /** The shortest text that reads as the double; without a fraction where it has none. */
  public static String text(double value) {
    return value == Math.rint(value) && Math.abs(value) < 1e15
        ? BigDecimal.valueOf(value).setScale(0).toPlainString()
        : Double.toString(value);
  }
}
