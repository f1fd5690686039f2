package dev.sluice.executor.latency;

import static java.util.stream.Collectors.groupingBy;
import static java.util.stream.Collectors.mapping;
import static java.util.stream.Collectors.toList;

import dev.sluice.contract.value.ModelKey;
import dev.sluice.executor.latency.LatencyModel.Method;
import dev.sluice.executor.latency.LatencyModel.Reach;
import java.util.Collection;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.NavigableSet;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** Every method of prediction, fitted to the same rows. */
final class Fit {
  private final Map<Curve, NavigableMap<Integer, Double>> curves = new HashMap<>();
  private final Map<Curve, Line> lines = new HashMap<>();

  /** Counts of busy lanes that were measured, by the rest of the key without samples. */
  private final Map<List<Object>, NavigableSet<Integer>> busyLanes = new HashMap<>();

  private final Ensemble.Features features;
  private final Map<Method, Ensemble> trees = new EnumMap<>(Method.class);

  /** A key without its samples: the times of all samples counts form one curve. */
  record Curve(ModelKey model, int threads, int busyLanes) {
    private static Curve of(LatencyKey key) {
      return new Curve(key.model(), key.threads(), key.busyLanes());
    }
  }

  /**
   * A line through the service times of one curve: a line through two precisions, or through one
   * and two busy lanes, would be right for neither.
   *
   * @param alphaNs at least 0
   * @param betaNs for each sample, at least 0; not both are 0
   */
  record Line(double alphaNs, double betaNs) {
    /**
     * Returns the line of least squared relative errors. If that line would begin below 0 or fall,
     * returns the line of least errors that does neither; for a single samples count, the
     * proportional line.
     *
     * @param lnNsBySamples at least one
     */
    static Line through(NavigableMap<Integer, Double> lnNsBySamples) {
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

  /** Fits the simple methods alone. */
  Fit(List<ProfileRow> rows) {
    rows.stream()
        .collect(groupingBy(ProfileRow::key, mapping(ProfileRow::lnNs, toList())))
        .forEach(
            (key, lnNs) ->
                curves
                    .computeIfAbsent(Curve.of(key), curve -> new TreeMap<>())
                    .put(key.samples(), Medians.of(lnNs)));
    curves.forEach(
        (curve, points) -> {
          lines.put(curve, Line.through(points));
          busyLanes
              .computeIfAbsent(List.of(curve.model(), curve.threads()), place -> new TreeSet<>())
              .add(curve.busyLanes());
        });
    features = new Ensemble.Features(rows);
  }

  /** Fits the simple methods, and the trees among the given methods. */
  static Fit to(List<ProfileRow> rows, long seed, Collection<Method> methods) {
    var fit = new Fit(rows);
    var medians = Medians.byKeyAndPass(rows);
    for (Method method : List.of(Method.BOOSTING, Method.FOREST)) {
      if (methods.contains(method)) {
        fit.put(
            method,
            Ensemble.fit(method, medians, fit.features, key -> fit.lnNs(Method.LINE, key), seed));
      }
    }
    return fit;
  }

  void put(Method method, Ensemble ensemble) {
    trees.put(method, ensemble);
  }

  Ensemble trees(Method method) {
    Ensemble ensemble = trees.get(method);
    if (ensemble == null) {
      throw new IllegalStateException(method + " was not fitted");
    }
    return ensemble;
  }

  Ensemble.Features features() {
    return features;
  }

  /** Returns the counts of busy lanes that were measured of the key's model; null: none. */
  @Nullable NavigableSet<Integer> busyLanes(LatencyKey key) {
    return busyLanes.get(List.<Object>of(key.model(), key.threads()));
  }

  boolean knowsCurveOf(LatencyKey key) {
    return curves.containsKey(Curve.of(key));
  }

  /** Returns the ln ns of the typical service time by a method; NaN: it has no answer. */
  double lnNs(Method method, LatencyKey key) {
    var curve = curves.get(Curve.of(key));
    Line line = lines.get(Curve.of(key));
    if (curve == null || line == null) {
      return Double.NaN;
    }
    double onLine = StrictMath.log(line.alphaNs() + line.betaNs() * key.samples());
    return switch (method) {
      case MEDIAN -> curve.getOrDefault(key.samples(), Double.NaN);
      case INTERPOLATED -> interpolated(curve, key.samples());
      case LINE -> onLine;
      case BOOSTING, FOREST -> {
        Ensemble ensemble = trees.get(method);
        yield ensemble == null ? Double.NaN : onLine + ensemble.overLine(key);
      }
    };
  }

  private static double interpolated(NavigableMap<Integer, Double> curve, int samples) {
    var below = curve.floorEntry(samples);
    var above = curve.ceilingEntry(samples);
    if (below == null || above == null) {
      return Double.NaN;
    }
    if (below.getKey().equals(above.getKey())) {
      return below.getValue();
    }
    double lowNs = StrictMath.exp(below.getValue());
    double highNs = StrictMath.exp(above.getValue());
    double share = (double) (samples - below.getKey()) / (above.getKey() - below.getKey());
    return StrictMath.log(lowNs + share * (highNs - lowNs));
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
}
