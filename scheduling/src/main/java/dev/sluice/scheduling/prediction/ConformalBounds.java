package dev.sluice.scheduling.prediction;

import java.util.Arrays;

/**
 * Upper bounds of the service times of one workload and backend on one device kind, as factors of
 * their predicted means, which hold with given probabilities however the predictions err.
 *
 * <p>Adaptive conformal inference (Gibbs and Candès, NeurIPS 2021): a bound is a quantile of
 * residuals, natural logarithms of actual / predicted time, and the miss rate α(t) that is asked of
 * it moves with each completion, α(t+1) = α(t) + γ (α − missed), so that it misses as often as
 * promised even while times drift and while a policy picks what looks short. Departures: γ is
 * {@value #ADAPTATION} α; α(t) stays within a factor {@value #MISS_RATE_FACTOR_MAX} of α, below
 * which the largest residual stands for the infinite one; and the residuals are those of the run's
 * last {@value #WINDOW} completions together with the published calibration ones, each of which
 * weighs (1 − seen / {@value #WINDOW}), so that a cold start has quantiles as well and a run soon
 * trusts itself alone. Without a published table the residuals are the errors of running means.
 *
 * <p>A bound of probability p needs 1 / (1 − p) − 1 residuals: 19 for 0.95, 99 for 0.99.
 */
final class ConformalBounds {
  /** Number of latest completions that are remembered. */
  static final int WINDOW = 200;

  static final double ADAPTATION = 0.2;
  static final double MISS_RATE_FACTOR_MAX = 4;

  private static final double ROUNDING = 1e-9;

  /** Rates by level at which the bound may be missed. */
  private final double[] promised;

  private final double[] missRates;

  /** Factors by level; NaN: too little is known. */
  private final double[] factors;

  /** Residuals whose powers the factors are, by level; NaN: too little was known. */
  private final double[] bounding;

  private double[] calibration = {};

  /** Residuals by slot; as many from the first on are known as completions were seen. */
  private final double[] residuals = new double[WINDOW];

  private final double[] sorted = new double[WINDOW];
  private long seen;

  /**
   * @param probabilities probabilities of the bounds, each in (0, 1)
   */
  ConformalBounds(double... probabilities) {
    promised = Arrays.stream(probabilities).map(p -> 1 - p).toArray();
    missRates = promised.clone();
    factors = new double[promised.length];
    Arrays.fill(factors, Double.NaN);
    bounding = factors.clone();
  }

  /** Returns the bound of a level as a factor of the predicted mean; NaN if too little is known. */
  double factor(int level) {
    return factors[level];
  }

  long seen() {
    return seen;
  }

  double[] missRates() {
    return missRates.clone();
  }

  int remembered() {
    return (int) Math.min(WINDOW, seen);
  }

  /** Returns the slot of the i-th newest completion. */
  int slot(int newest) {
    return (int) ((seen - 1 - newest) % WINDOW);
  }

  /** Replaces the calibration residuals, which must be ascending. */
  void calibrate(double[] ascending) {
    calibration = ascending;
    refresh();
  }

  /** Notes whether a bound of a level that was given was missed. */
  void judge(int level, boolean missed) {
    double rate = promised[level];
    double next = missRates[level] + ADAPTATION * rate * (missed ? rate - 1 : rate);
    missRates[level] =
        Math.max(rate / MISS_RATE_FACTOR_MAX, Math.min(rate * MISS_RATE_FACTOR_MAX, next));
  }

  /** Takes in a batch's residual, and returns its slot. Call {@link #judge} before. */
  int observe(double residual) {
    int slot = (int) (seen % WINDOW);
    int count = remembered();
    if (count == WINDOW) {
      int gone = Arrays.binarySearch(sorted, 0, count, residuals[slot]);
      System.arraycopy(sorted, gone + 1, sorted, gone, count - gone - 1);
      count--;
    }
    int found = Arrays.binarySearch(sorted, 0, count, residual);
    int place = found < 0 ? -found - 1 : found;
    System.arraycopy(sorted, place, sorted, place + 1, count - place);
    sorted[place] = residual;
    residuals[slot] = residual;
    seen++;
    refresh();
    return slot;
  }

  /**
   * Takes over the state of other bounds.
   *
   * @param bySlot the residuals of the completions that are remembered
   */
  void restore(long seenBefore, double[] missRatesBefore, double[] bySlot) {
    seen = seenBefore;
    System.arraycopy(missRatesBefore, 0, missRates, 0, missRates.length);
    System.arraycopy(bySlot, 0, residuals, 0, remembered());
    System.arraycopy(bySlot, 0, sorted, 0, remembered());
    Arrays.sort(sorted, 0, remembered());
    refresh();
  }

  private void refresh() {
    for (int level = 0; level < factors.length; level++) {
      double residual = quantile(level);
      if (residual != bounding[level]) { // mostly it is the same one after another completion
        bounding[level] = residual;
        factors[level] = StrictMath.exp(residual);
      }
    }
  }

  /** Returns the residual exceeded by at most the miss rate; unknown ones count as the largest. */
  private double quantile(int level) {
    int own = remembered();
    double weight = (double) (WINDOW - own) / WINDOW;
    int lent = weight > 0 ? calibration.length : 0;
    double all = own + lent * weight + 1;
    if (promised[level] * all < 1 - ROUNDING) {
      return Double.NaN;
    }
    double allowed = missRates[level] * all + ROUNDING;
    double above = 1;
    int i = own - 1;
    int j = lent - 1;
    while (true) {
      boolean takesOwn = j < 0 || (i >= 0 && sorted[i] >= calibration[j]);
      double residual = takesOwn ? sorted[i--] : calibration[j--];
      above += takesOwn ? 1 : weight;
      if (above > allowed || (i < 0 && j < 0)) {
        return residual;
      }
    }
  }
}
