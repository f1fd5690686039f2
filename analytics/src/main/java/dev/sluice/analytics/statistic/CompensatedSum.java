package dev.sluice.analytics.statistic;

/**
 * A sum of numbers with a fraction that keeps what rounding would lose (Kahan 1965): bit for bit
 * that of {@link java.util.DoubleSummaryStatistics}, without its least and its most number.
 */
public final class CompensatedSum {
  private long count;
  private double sum;
  private double excess;
  private double simple; // tells infinities, of which the compensated one makes NaN

  /** A sum of nothing. */
  public CompensatedSum() {}

  public void add(double value) {
    count++;
    simple += value;
    double corrected = value - excess;
    double next = sum + corrected;
    excess = (next - sum) - corrected;
    sum = next;
  }

  /** Adds a number some times. */
  public void add(double value, long times) {
    if (value == 0 && excess == 0) {
      count += times; // the sum stays as it is
      return;
    }
    for (long i = 0; i < times; i++) {
      add(value);
    }
  }

  /** Number of summands. */
  public long count() {
    return count;
  }

  public double sum() {
    double value = sum - excess;
    return Double.isNaN(value) && Double.isInfinite(simple) ? simple : value;
  }

  /** Mean of the summands; 0 without one. */
  public double average() {
    return count == 0 ? 0 : sum() / count;
  }
}
