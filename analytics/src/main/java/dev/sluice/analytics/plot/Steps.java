package dev.sluice.analytics.plot;

import java.util.ArrayList;
import java.util.List;

/** Corners of a curve that goes level and then upright, from point to point. */
final class Steps {
  private final List<Double> xs = new ArrayList<>();
  private final List<Double> ys = new ArrayList<>();

  Steps(double x, double y) {
    add(x, y);
  }

  /** Goes on level until x, then upright to y; NaN breaks the curve off at x. */
  Steps to(double x, double y) {
    double lastY = ys.get(ys.size() - 1);
    if (!Double.isNaN(lastY)) {
      add(x, lastY);
    }
    add(x, y);
    return this;
  }

  private void add(double x, double y) {
    xs.add(x);
    ys.add(y);
  }

  double[] xs() {
    return xs.stream().mapToDouble(Double::doubleValue).toArray();
  }

  double[] ys() {
    return ys.stream().mapToDouble(Double::doubleValue).toArray();
  }
}
