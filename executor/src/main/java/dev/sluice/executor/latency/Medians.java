package dev.sluice.executor.latency;

import dev.sluice.executor.profile.LatencyKey;
import dev.sluice.executor.profile.ProfileRow;
import java.util.ArrayList;
import java.util.List;
import java.util.NavigableMap;
import java.util.SortedMap;
import java.util.TreeMap;
import org.apache.commons.statistics.descriptive.Median;

/**
 * Medians of measured times. All estimators begin from medians, since a single pause moves a mean.
 */
public final class Medians {
  private static final Median MEDIAN = Median.withDefaults().withCopy(true);

  private Medians() {}

  /** Returns the middle value, or the mean of the two middle values; needs at least one value. */
  public static double of(double[] values) {
    return MEDIAN.evaluate(values);
  }

  public static double of(List<Double> values) {
    return of(values.stream().mapToDouble(Double::doubleValue).toArray());
  }

  /** Returns the median ln ns of each key. */
  public static SortedMap<LatencyKey, Double> byKey(List<ProfileRow> rows) {
    SortedMap<LatencyKey, List<Double>> lnNs = new TreeMap<>();
    rows.forEach(row -> lnNs.computeIfAbsent(row.key(), key -> new ArrayList<>()).add(row.lnNs()));
    SortedMap<LatencyKey, Double> medians = new TreeMap<>();
    lnNs.forEach((key, values) -> medians.put(key, of(values)));
    return medians;
  }

  /** The median ln ns of each key in each pass. */
  record OfPass(LatencyKey key, int pass, double lnNs) {}

  /** Returns a median for each key and pass that has rows, ordered by key, then pass. */
  public static List<OfPass> byKeyAndPass(List<ProfileRow> rows) {
    SortedMap<LatencyKey, SortedMap<Integer, List<Double>>> lnNs = new TreeMap<>();
    rows.forEach(
        row ->
            lnNs.computeIfAbsent(row.key(), key -> new TreeMap<>())
                .computeIfAbsent(row.pass(), pass -> new ArrayList<>())
                .add(row.lnNs()));
    List<OfPass> medians = new ArrayList<>();
    lnNs.forEach(
        (key, passes) ->
            passes.forEach((pass, values) -> medians.add(new OfPass(key, pass, of(values)))));
    return medians;
  }

  /** Returns the medians of {@link #byKey}, as ln ns by samples for each curve. */
  public static SortedMap<Curve, NavigableMap<Integer, Double>> byCurve(
      SortedMap<LatencyKey, Double> byKey) {
    SortedMap<Curve, NavigableMap<Integer, Double>> curves = new TreeMap<>();
    byKey.forEach(
        (key, lnNs) ->
            curves.computeIfAbsent(Curve.of(key), c -> new TreeMap<>()).put(key.samples(), lnNs));
    return curves;
  }
}
