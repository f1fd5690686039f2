package dev.sluice.executor.latency;

import java.util.OptionalDouble;

/**
 * Upper quantiles from calibration residuals by split-conformal prediction (Vovk, Gammerman,
 * Shafer, 2005; Lei et al., 2018). A residual is the ln(actual / predicted) of a row that had no
 * part in its prediction. If the next residual is exchangeable with the n residuals before it, it
 * exceeds the residual of rank ⌈(n + 1) q⌉ with a chance of at most 1 − q, whatever its
 * distribution.
 */
public final class Conformal {
  private Conformal() {}

  /**
   * Returns the residual that the next residual exceeds with a chance of at most 1 − level.
   *
   * @param sortedResiduals ascending
   * @param level in (0, 1)
   * @return empty if there are too few residuals: level 0.99 needs 99, level 0.95 needs 19
   */
  public static OptionalDouble quantile(double[] sortedResiduals, double level) {
    int rank = rank(sortedResiduals.length, level);
    return rank > sortedResiduals.length
        ? OptionalDouble.empty()
        : OptionalDouble.of(sortedResiduals[rank - 1]);
  }

  /** ⌈(n + 1) level⌉, at least 1; a product counts as whole but for rounding errors. */
  private static int rank(int residuals, double level) {
    double product = (residuals + 1) * level;
    double nearest = Math.rint(product);
    return (int)
        Math.max(1, Math.abs(product - nearest) < 1e-9 * nearest ? nearest : Math.ceil(product));
  }

  /**
   * Returns at most a given number of the residuals, such that no quantile is below that of all
   * residuals.
   *
   * @param sortedResiduals ascending
   * @return ascending
   */
  public static double[] thinned(double[] sortedResiduals, int most) {
    int n = sortedResiduals.length;
    if (n <= most) {
      return sortedResiduals.clone();
    }
    double[] thinned = new double[most];
    for (int i = 1; i <= most; i++) {
      long rank = -Math.floorDiv(-(long) i * (n + 1), most + 1L);
      thinned[i - 1] = sortedResiduals[(int) rank - 1];
    }
    return thinned;
  }
}
