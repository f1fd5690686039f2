package dev.sluice.executor.latency;

import dev.sluice.executor.profile.LatencyKey;
import dev.sluice.executor.profile.ProfileRow;
import java.util.Collection;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Objects;
import java.util.SortedMap;

/** Estimators that were fitted to the same rows. */
final class Fit {
  private final SortedMap<Curve, NavigableMap<Integer, Double>> curves;
  private final Features features;
  private final Lines lines;
  private final Map<Method, Estimator> estimators = new EnumMap<>(Method.class);

  private Fit(List<ProfileRow> rows) {
    var medians = Medians.byKey(rows);
    curves = Medians.byCurve(medians);
    features = new Features(rows);
    lines = new Lines(curves);
    estimators.put(Method.MEDIAN, new MedianPerKey(medians));
    estimators.put(Method.INTERPOLATED, new Interpolation(curves));
    estimators.put(Method.LINE, lines);
  }

  /**
   * Fits the simple methods, and the trees among the given methods.
   *
   * @param rows at least one
   */
  static Fit to(List<ProfileRow> rows, long seed, Collection<Method> methods) {
    var fit = new Fit(rows);
    var medians = Medians.byKeyAndPass(rows);
    if (methods.contains(Method.BOOSTING)) {
      fit.put(Method.BOOSTING, Ensemble.boosting(medians, fit.features, fit.lines, seed));
    }
    if (methods.contains(Method.FOREST)) {
      fit.put(Method.FOREST, Ensemble.forest(medians, fit.features, fit.lines, seed));
    }
    return fit;
  }

  /** Fits the simple methods alone; trees that were read from a file are then added. */
  static Fit withoutTrees(List<ProfileRow> rows) {
    return new Fit(rows);
  }

  void put(Method method, Ensemble trees) {
    estimators.put(method, trees);
  }

  Features features() {
    return features;
  }

  Lines lines() {
    return lines;
  }

  Map<Method, Estimator> estimators() {
    return estimators;
  }

  /** Returns the estimator of a method that was fitted or read. */
  Estimator estimator(Method method) {
    return Objects.requireNonNull(estimators.get(method), () -> method + " was not fitted");
  }

  Iterable<Curve> curves() {
    return curves.keySet();
  }

  /** Returns how far the key lies from the rows; its curve must be known. */
  Reach reach(LatencyKey key) {
    var curve = curves.get(Curve.of(key));
    if (curve == null) {
      throw new IllegalArgumentException("no row is like " + key);
    }
    return curve.containsKey(key.samples())
        ? Reach.SEEN
        : curve.firstKey() < key.samples() && key.samples() < curve.lastKey()
            ? Reach.BETWEEN
            : Reach.BEYOND;
  }

  boolean knowsCurveOf(LatencyKey key) {
    return curves.containsKey(Curve.of(key));
  }
}
