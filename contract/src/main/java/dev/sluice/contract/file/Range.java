package dev.sluice.contract.file;

import java.math.BigDecimal;

/**
 * Bounds of a number, which must be finite in any case.
 *
 * @param open whether the least value itself is left out
 */
public record Range(double least, boolean open, double most) {
  /** Numbers above {@code least}, up to {@code most}. */
  public static Range above(double least, double most) {
    return new Range(least, true, most);
  }

  /** Numbers from {@code least} to {@code most}, both included. */
  public static Range within(double least, double most) {
    return new Range(least, false, most);
  }

  boolean contains(double value) {
    return (open ? value > least : value >= least) && value <= most;
  }

  /** The rule in words, to follow "must be". */
  String words() {
    return (open ? "above " : "at least ") + digits(least) + " and at most " + digits(most);
  }

  private static String digits(double value) {
    return BigDecimal.valueOf(value).stripTrailingZeros().toPlainString();
  }
}
