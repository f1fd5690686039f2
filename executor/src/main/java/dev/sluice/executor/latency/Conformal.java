package dev.sluice.executor.latency;

import java.util.OptionalDouble;

/**
 * Upper quantiles from calibration residuals, each the ln(actual / predicted) of a row that had no
 * part in its prediction: split-conformal prediction (Vovk, Gammerman, Shafer, 2005; Lei et al.,
 * 2018). If the next residual is exchangeable with the n before it, it lies above the one of rank
 * ⌈(n + 1) q⌉ with a chance of at most 1 − q, whatever its distribution.
 */
public final class Conformal {
  private Conformal() {}

  /**
   * The residual that the next one exceeds with a chance of at most 1 − level.
   *
   * @param sortedResiduals ascending
   * @param level in (0, 1)
   * @return empty if they are too few: 0.99 needs 99 of them, 0.95 needs 19
   */
  public static OptionalDouble quantile(double[] sortedResiduals, double level) {
    int rank = rank(sortedResiduals.length, level);
    return rank > sortedResiduals.length
        ? OptionalDouble.empty()
        : OptionalDouble.of(sortedResiduals[rank - 1]);
  }

  /** ⌈(n + 1) level⌉, where a product that is whole but for rounding counts as whole; from 1. */
  private static int rank(int residuals, double level) {
    double product = (residuals + 1) * level;
    double nearest = Math.rint(product);
    return (int)
        Math.max(1, Math.abs(product - nearest) < 1e-9 * nearest ? nearest : Math.ceil(product));
  }

  /**
   * At most the given number of the residuals, none of whose quantiles is below that of all of
   * them.
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
