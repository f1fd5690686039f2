package dev.sluice.analytics.compare;

import dev.sluice.analytics.statistic.PairedDifference;
import org.jspecify.annotations.Nullable;

/**
 * What two settings' runs say of one figure.
 *
 * @param a its mean over the runs of A; NaN: a run has none
 * @param b its mean over the runs of B; NaN: a run has none
 * @param difference difference of B to A, of a ratio its logarithm; null: there is none
 * @param why why there is no verdict; null: there may be one
 */
record Sample(double a, double b, @Nullable PairedDifference difference, @Nullable String why) {
  static Sample none(double a, double b, String why) {
    return new Sample(a, b, null, why);
  }

  /** Source of samples. */
  interface Source {
    Sample of(HeadlineFigure figure);

    /** How differences are judged, for people. */
    String method();
  }
}
