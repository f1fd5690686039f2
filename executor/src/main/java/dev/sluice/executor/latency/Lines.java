package dev.sluice.executor.latency;

import dev.sluice.executor.profile.LatencyKey;
import java.util.Map;
import java.util.NavigableMap;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Lines alpha + beta × samples, one for each curve: a line through two precisions, or through one
 * and two busy lanes, would be right for neither.
 */
public final class Lines implements Estimator {
  private final SortedMap<Curve, Line> lines = new TreeMap<>();

  /**
   * A line through service times.
   *
   * @param alphaNs at least 0
   * @param betaNs at least 0; not both are 0
   */
  public record Line(double alphaNs, double betaNs) {
    /**
     * Returns the line of least squared relative errors. If that line would begin below 0 or fall,
     * returns the line of least errors that does neither; for a single samples count, the
     * proportional line.
     *
     * @param lnNsBySamples at least one
     */
    public static Line through(NavigableMap<Integer, Double> lnNsBySamples) {
      double ones = 0; // each point weighs 1 / time², so that relative errors count
      double x = 0;
      double xx = 0;
      double y = 0;
      double xy = 0;
      for (var point : lnNsBySamples.entrySet()) {
        double inverse = 1 / StrictMath.exp(point.getValue());
        double samples = point.getKey();
        ones += inverse * inverse;
        x += inverse * inverse * samples;
        xx += inverse * inverse * samples * samples;
        y += inverse;
        xy += inverse * samples;
      }
      if (lnNsBySamples.size() > 1) {
        double determinant = ones * xx - x * x;
        double alpha = (xx * y - x * xy) / determinant;
        double beta = (ones * xy - x * y) / determinant;
        if (alpha >= 0 && beta >= 0) {
          return new Line(alpha, beta);
        }
        if (beta < 0) {
          return new Line(y / ones, 0);
        }
      }
      return new Line(0, xy / xx);
    }
  }

  public Lines(Map<Curve, NavigableMap<Integer, Double>> curves) {
    curves.forEach((curve, points) -> lines.put(curve, Line.through(points)));
  }

  @Override
  public boolean answers(LatencyKey key) {
    return lines.containsKey(Curve.of(key));
  }

  @Override
  public double lnNs(LatencyKey key) {
    Line line = lines.get(Curve.of(key));
    if (line == null) {
      throw new IllegalArgumentException("no row is like " + key);
    }
    return StrictMath.log(line.alphaNs() + line.betaNs() * key.samples());
  }
}
