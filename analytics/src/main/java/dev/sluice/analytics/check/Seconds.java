package dev.sluice.analytics.check;

/**
 * Comparison of times in seconds: to the millionth, and to the precision of a floating-point number
 * of their size. NaN means unknown, and is never wrong.
 */
final class Seconds {
  private static final double TOLERANCE = 1e-6;
  private static final double RELATIVE = 1e-12;

  private Seconds() {}

  static boolean same(double a, double b) {
    return !(Math.abs(a - b) > tolerance(a, b));
  }

  /** True if a is surely before b. */
  static boolean before(double a, double b) {
    return a < b - tolerance(a, b);
  }

  private static double tolerance(double a, double b) {
    return TOLERANCE + RELATIVE * Math.max(Math.abs(a), Math.abs(b));
  }
}
