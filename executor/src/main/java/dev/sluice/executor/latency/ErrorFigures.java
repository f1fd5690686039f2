package dev.sluice.executor.latency;

import java.util.List;

/**
 * The errors of predictions.
 *
 * @param rows number of rows; the other figures are NaN if it is 0
 * @param medianAbsoluteLog median of |ln(actual / predicted)|, which "error" means wherever no
 *     other figure is named
 * @param maeMs mean of |actual − predicted|
 * @param mape mean of |actual − predicted| / actual; 0.1 is 10 %
 * @param rSquared 1 − squared errors / squared distances from the mean; NaN if all times are equal
 */
public record ErrorFigures(
    int rows, double medianAbsoluteLog, double maeMs, double mape, double rSquared) {
  /** An actual time and its prediction, both as ln ns. */
  record Pair(double actualLnNs, double predictedLnNs) {
    double absoluteLog() {
      return Math.abs(actualLnNs - predictedLnNs);
    }
  }

  static ErrorFigures of(List<Pair> pairs) {
    int rows = pairs.size();
    if (rows == 0) {
      return new ErrorFigures(0, Double.NaN, Double.NaN, Double.NaN, Double.NaN);
    }
    double absoluteMs = 0;
    double relative = 0;
    double squares = 0;
    double meanMs = 0;
    for (Pair pair : pairs) {
      double actualMs = ms(pair.actualLnNs());
      double errorMs = actualMs - ms(pair.predictedLnNs());
      absoluteMs += Math.abs(errorMs);
      relative += Math.abs(errorMs) / actualMs;
      squares += errorMs * errorMs;
      meanMs += actualMs / rows;
    }
    double distances = 0;
    for (Pair pair : pairs) {
      double distanceMs = ms(pair.actualLnNs()) - meanMs;
      distances += distanceMs * distanceMs;
    }
    return new ErrorFigures(
        rows,
        Medians.of(pairs.stream().mapToDouble(Pair::absoluteLog).toArray()),
        absoluteMs / rows,
        relative / rows,
        distances == 0 ? Double.NaN : 1 - squares / distances);
  }

  private static double ms(double lnNs) {
    return StrictMath.exp(lnNs) / 1e6;
  }
}
