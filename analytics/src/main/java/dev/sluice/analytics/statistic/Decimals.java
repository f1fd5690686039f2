package dev.sluice.analytics.statistic;

import java.math.BigDecimal;
import java.util.Locale;

/** Numbers as text, with a point in every locale. */
public final class Decimals {
  private Decimals() {}

  /** Seconds with six decimals, half up. */
  public static String seconds(long ns) {
    return sixDecimals(Math.floorDiv(ns + 500, 1000L));
  }

  /** Milliseconds with six decimals: exact. */
  public static String ms(long ns) {
    return sixDecimals(ns);
  }

  private static String sixDecimals(long millionths) {
    long absolute = Math.abs(millionths);
    String fraction = Long.toString(1_000_000 + absolute % 1_000_000).substring(1);
    return (millionths < 0 ? "-" : "") + absolute / 1_000_000 + "." + fraction;
  }

  /** The shortest text that reads back as the same number, without an exponent. */
  public static String plain(double value) {
    String text = Double.toString(value);
    if (value == 0 || text.indexOf('E') >= 0) {
      return new BigDecimal(text).stripTrailingZeros().toPlainString();
    }
    int end = text.length();
    while (text.charAt(end - 1) == '0') {
      end--;
    }
    return text.substring(0, text.charAt(end - 1) == '.' ? end - 1 : end);
  }

  /** Three significant digits, for people; {@code none} for an infinite value. */
  public static String short3(double value) {
    if (Double.isInfinite(value)) {
      return "none";
    }
    double absolute = Math.abs(value);
    int decimals = absolute >= 100 ? 0 : absolute >= 10 ? 1 : absolute >= 1 ? 2 : 3;
    return String.format(Locale.ROOT, "%." + decimals + "f", value);
  }
}
