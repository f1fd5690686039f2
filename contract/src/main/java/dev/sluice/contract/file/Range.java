package dev.sluice.contract.file;

import java.math.BigDecimal;

/** Bounds of a number, both included. A number that is read has a least and a largest value. */
public record Range(double least, double most) {
  public static Range within(double least, double most) {
    return new Range(least, most);
  }

  /** Returns whether a number lies within the bounds; NaN does not. */
  public boolean contains(double value) {
    return value >= least && value <= most;
  }

  /** The rule in words, to follow "must be". */
  public String words() {
    return "at least " + digits(least) + " and at most " + digits(most);
  }

  private static String digits(double value) {
    return BigDecimal.valueOf(value).stripTrailingZeros().toPlainString();
  }
}
