package dev.sluice.analytics.figure;

import dev.sluice.analytics.column.IntColumn;
import dev.sluice.analytics.column.LongBag;
import dev.sluice.analytics.column.Space;
import dev.sluice.analytics.fold.RunRows;
import dev.sluice.analytics.fold.UpperBound;
import dev.sluice.analytics.row.Batches;
import dev.sluice.analytics.statistic.BinomialTest;
import dev.sluice.analytics.statistic.NearestRank;
import dev.sluice.analytics.summary.Summary;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.DoubleSummaryStatistics;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.IntUnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Accuracy of predicted service times, over the dispatches that ended measured jobs as done, each
 * once; dispatches whose prediction or service time is 0 are left out. Logarithms are natural, so
 * that 0.1 is about 10 %; medians are by nearest rank.
 *
 * <ul>
 *   <li>prediction_count: number of these dispatches; prediction_error_median: median of
 *       |ln(service / predicted)|; prediction_bias, prediction_bias_median: mean and median of
 *       ln(service / predicted), above 0 where services took longer than predicted.
 *   <li>For p95 and p99, over the dispatches with that bound, prediction_p95_count of them:
 *       prediction_p95_miss_rate: the share that took longer than the bound;
 *       prediction_p95_pinball: mean pinball loss of ln(service / bound);
 *       prediction_p95_over_median: median of bound / predicted.
 *   <li>prediction_by_workload: these figures for each workload. prediction_over_time: these
 *       figures for ten equal parts of the measured window, by end.
 *   <li>model_versions: number of these dispatches that each published table predicted.
 *   <li>broken_promises: a line for each bound whose miss rate, over at least {@value
 *       #PROMISE_COUNT_MIN} batches, differs from what it promises by more than chance: two-sided
 *       binomial test at the level {@value #PROMISE_LEVEL}.
 * </ul>
 */
public final class PredictionFigures implements Figure {
  static final int PROMISE_COUNT_MIN = 1000;
  static final double PROMISE_LEVEL = 0.001;

  private static final int PARTS = 10;

  @Override
  public List<String> names() {
    List<String> names =
        new ArrayList<>(
            List.of(
                "prediction_count",
                "prediction_error_median",
                "prediction_bias",
                "prediction_bias_median"));
    for (UpperBound bound : UpperBound.values()) {
      for (String figure : List.of("_count", "_miss_rate", "_pinball", "_over_median")) {
        names.add("prediction_" + bound.text() + figure);
      }
    }
    return names;
  }

  @Override
  public void addTo(Summary summary, RunRows run) {
    IntColumn rows = predicted(run);
    Batches batches = run.batches();
    List<String> workloads = run.workloadNames();
    int[] placeOfModel =
        batches.models().stream().mapToInt(m -> workloads.indexOf(m.workload())).toArray();
    List<Group> ofWorkloads =
        groups(run, rows, workloads.size(), batch -> placeOfModel[batches.modelNumber(batch)]);
    figures(ofWorkloads, pinballs(batches, rows))
        .forEach((name, value) -> summary.put("prediction_" + name, value));
    Map<String, Object> byWorkload = new LinkedHashMap<>();
    for (int i = 0; i < workloads.size(); i++) {
      byWorkload.put(workloads.get(i), figures(ofWorkloads.get(i)));
    }
    ofWorkloads.forEach(Group::clear);
    summary.put("prediction_by_workload", byWorkload);
    summary.put("prediction_over_time", overTime(run, rows));
    Map<String, Long> versions = new TreeMap<>();
    for (int i = 0; i < rows.size(); i++) {
      String version = batches.modelVersion(rows.get(i));
      if (version != null) {
        versions.merge(version, 1L, Long::sum);
      }
    }
    summary.put("model_versions", versions);
    summary.put("broken_promises", brokenPromises(batches, rows));
    rows.clear();
  }

  @Override
  public String countBehind(String p99Name) {
    return "prediction_p99_count";
  }

  /** Batches that the figures count. */
  public static IntColumn predicted(RunRows run) {
    Batches batches = run.batches();
    IntColumn done = run.measuredDoneBatches();
    var predicted = new IntColumn(run.space(), 0);
    for (int i = 0; i < done.size(); i++) {
      if (batches.predictedNs(done.get(i)) > 0 && batches.serviceNs(done.get(i)) > 0) {
        predicted.add(done.get(i));
      }
    }
    return predicted;
  }

  private static List<Map<String, @Nullable Object>> overTime(RunRows run, IntColumn rows) {
    var fromNs = new long[PARTS + 1];
    long lengthNs = run.windowEndNs() - run.windowStartNs();
    Arrays.setAll(fromNs, part -> run.windowStartNs() + lengthNs * part / PARTS);
    List<Group> ofParts =
        groups(run, rows, PARTS, batch -> part(fromNs, run.batches().finishedAtNs(batch)));
    List<Map<String, @Nullable Object>> parts = new ArrayList<>();
    for (int part = 0; part < PARTS; part++) {
      Map<String, @Nullable Object> figures = new LinkedHashMap<>();
      figures.put("from_s", fromNs[part] / 1e9);
      figures.put("to_s", fromNs[part + 1] / 1e9);
      figures.putAll(figures(ofParts.get(part)));
      ofParts.get(part).clear();
      parts.add(figures);
    }
    return parts;
  }

  /** The part of the window in which a time lies; −1: none. */
  private static int part(long[] fromNs, long ns) {
    for (int part = 0; part < PARTS; part++) {
      if (fromNs[part] <= ns && ns < fromNs[part + 1]) {
        return part;
      }
    }
    return -1;
  }

  /**
   * Groups of batches.
   *
   * @param groupOf the group of a batch, from 0; below 0: none
   */
  private static List<Group> groups(
      RunRows run, IntColumn rows, int count, IntUnaryOperator groupOf) {
    List<Group> groups = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      groups.add(new Group(run.space()));
    }
    for (int i = 0; i < rows.size(); i++) {
      int group = groupOf.applyAsInt(rows.get(i));
      if (group >= 0) {
        groups.get(group).take(run.batches(), rows.get(i));
      }
    }
    return groups;
  }

  /** Losses of each bound over all batches, in their order: the sum depends on it. */
  private static List<DoubleSummaryStatistics> pinballs(Batches batches, IntColumn rows) {
    List<DoubleSummaryStatistics> pinballs = new ArrayList<>();
    for (UpperBound bound : UpperBound.values()) {
      var pinball = new DoubleSummaryStatistics();
      for (int i = 0; i < rows.size(); i++) {
        if (bound.isGiven(batches, rows.get(i))) {
          pinball.accept(pinball(bound, batches, rows.get(i)));
        }
      }
      pinballs.add(pinball);
    }
    return pinballs;
  }

  private static double pinball(UpperBound bound, Batches batches, int batch) {
    double boundNs = bound.ns(batches, batch);
    double above = Math.log(batches.serviceNs(batch) / boundNs);
    return Math.max(bound.probability() * above, (bound.probability() - 1) * above);
  }

  private static Map<String, @Nullable Object> figures(Group group) {
    return figures(List.of(group), group.bounded.stream().map(bound -> bound.pinball).toList());
  }

  /** The figures of some groups together. */
  private static Map<String, @Nullable Object> figures(
      List<Group> groups, List<DoubleSummaryStatistics> pinballs) {
    List<LongBag> biases = groups.stream().map(group -> group.biases).toList();
    long count = biases.stream().mapToLong(LongBag::size).sum();
    long[] middle = count == 0 ? new long[0] : new long[] {NearestRank.of(50, count)};
    var bias = new DoubleSummaryStatistics();
    LongBag.sorted(biases, value -> bias.accept(LongBag.asDouble(value)));
    Map<String, @Nullable Object> figures = new LinkedHashMap<>();
    figures.put("count", count);
    figures.put("error_median", asDouble(LongBag.ofRanksWithoutSigns(biases, middle)));
    figures.put("bias", average(bias));
    figures.put("bias_median", asDouble(LongBag.ofRanks(biases, middle)));
    for (int i = 0; i < pinballs.size(); i++) {
      int place = i;
      List<Bounded> bounded = groups.stream().map(group -> group.bounded.get(place)).toList();
      addTo(figures, bounded, pinballs.get(i));
    }
    return figures;
  }

  private static void addTo(
      Map<String, @Nullable Object> figures,
      List<Bounded> bounded,
      DoubleSummaryStatistics pinball) {
    String name = bounded.get(0).bound.text();
    List<LongBag> overs = bounded.stream().map(bound -> bound.overs).toList();
    long count = overs.stream().mapToLong(LongBag::size).sum();
    long misses = bounded.stream().mapToLong(bound -> bound.misses).sum();
    long[] middle = count == 0 ? new long[0] : new long[] {NearestRank.of(50, count)};
    figures.put(name + "_count", count);
    figures.put(name + "_miss_rate", orNull((double) misses / count));
    figures.put(name + "_pinball", average(pinball));
    figures.put(name + "_over_median", asDouble(LongBag.ofRanks(overs, middle)));
  }

  private static @Nullable Double asDouble(long[] values) {
    return values.length == 0 ? null : Double.valueOf(LongBag.asDouble(values[0]));
  }

  /** Batches of which the figures are asked. */
  private static final class Group {
    final LongBag biases;
    final List<Bounded> bounded;

    Group(Space space) {
      biases = new LongBag(space);
      bounded = Arrays.stream(UpperBound.values()).map(b -> new Bounded(b, space)).toList();
    }

    void take(Batches batches, int batch) {
      double serviceNs = batches.serviceNs(batch);
      biases.add(Math.log(serviceNs / batches.predictedNs(batch)));
      for (Bounded bound : bounded) {
        bound.take(batches, batch);
      }
    }

    void clear() {
      biases.clear();
      bounded.forEach(bound -> bound.overs.clear());
    }
  }

  /** Batches that were given a bound. */
  private static final class Bounded {
    final UpperBound bound;
    final LongBag overs;
    final DoubleSummaryStatistics pinball = new DoubleSummaryStatistics();
    long misses;

    Bounded(UpperBound bound, Space space) {
      this.bound = bound;
      overs = new LongBag(space);
    }

    void take(Batches batches, int batch) {
      if (bound.isGiven(batches, batch)) {
        misses += bound.isMissed(batches, batch) ? 1 : 0;
        pinball.accept(PredictionFigures.pinball(bound, batches, batch));
        overs.add((double) bound.ns(batches, batch) / batches.predictedNs(batch));
      }
    }
  }

  private static List<String> brokenPromises(Batches batches, IntColumn rows) {
    List<String> broken = new ArrayList<>();
    for (UpperBound bound : UpperBound.values()) {
      long judged = 0;
      long misses = 0;
      for (int i = 0; i < rows.size(); i++) {
        boolean given = bound.isGiven(batches, rows.get(i));
        judged += given ? 1 : 0;
        misses += given && bound.isMissed(batches, rows.get(i)) ? 1 : 0;
      }
      double promised = 1 - bound.probability();
      if (judged >= PROMISE_COUNT_MIN
          && BinomialTest.twoSided(misses, judged, promised) < PROMISE_LEVEL) {
        broken.add(
            String.format(
                Locale.ROOT,
                "the predicted %s was missed by %.2f %% of %d batches, and promised %.0f %%"
                    + " (binomial test, level %s)",
                bound.text(),
                100.0 * misses / judged,
                judged,
                100 * promised,
                PROMISE_LEVEL));
      }
    }
    return broken;
  }

  private static @Nullable Double average(DoubleSummaryStatistics values) {
    return values.getCount() == 0 ? null : orNull(values.getAverage());
  }

  private static @Nullable Double orNull(double value) {
    return Double.isNaN(value) ? null : Double.valueOf(value);
  }
}
