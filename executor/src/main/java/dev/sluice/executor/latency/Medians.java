package dev.sluice.executor.latency;

import static java.util.stream.Collectors.groupingBy;
import static java.util.stream.Collectors.mapping;
import static java.util.stream.Collectors.toList;

import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import org.apache.commons.statistics.descriptive.Median;

/** Medians of measured times. All methods begin from medians, since a single pause moves a mean. */
final class Medians {
  private static final Median MEDIAN = Median.withDefaults().withCopy(true);

  private Medians() {}

  /** Returns the middle value, or the mean of the two middle values; needs at least one value. */
  static double of(double[] values) {
    return MEDIAN.evaluate(values);
  }

  static double of(List<Double> values) {
    return of(values.stream().mapToDouble(Double::doubleValue).toArray());
  }

  record OfPass(LatencyKey key, int pass, double lnNs) {}

  /** Returns a median for each key and pass that has rows, ordered by key, then pass. */
  static List<OfPass> byKeyAndPass(List<ProfileRow> rows) {
    List<OfPass> medians = new ArrayList<>();
    rows.stream()
        .collect(
            groupingBy(
                ProfileRow::key,
                TreeMap::new,
                groupingBy(ProfileRow::pass, TreeMap::new, mapping(ProfileRow::lnNs, toList()))))
        .forEach(
            (key, passes) ->
                passes.forEach((pass, lnNs) -> medians.add(new OfPass(key, pass, of(lnNs)))));
    return medians;
  }
}
