package dev.sluice.harness.twin.figure;

import dev.sluice.analytics.statistic.BinomialTest;
import dev.sluice.analytics.statistic.NearestRank;
import dev.sluice.analytics.summary.Summary;
import dev.sluice.harness.twin.fold.DispatchRow;
import dev.sluice.harness.twin.fold.RunRows;
import dev.sluice.harness.twin.fold.UpperBound;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.ToDoubleFunction;
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
    List<DispatchRow> rows = predicted(run);
    figures(rows).forEach((name, value) -> summary.put("prediction_" + name, value));
    Map<String, Object> byWorkload = new LinkedHashMap<>();
    for (String workload : run.workloadNames()) {
      byWorkload.put(
          workload,
          figures(rows.stream().filter(r -> r.model().workload().equals(workload)).toList()));
    }
    summary.put("prediction_by_workload", byWorkload);
    summary.put("prediction_over_time", overTime(rows, run));
    Map<String, Long> versions = new TreeMap<>();
    for (DispatchRow row : rows) {
      String version = row.prediction().modelVersion();
      if (version != null) {
        versions.merge(version, 1L, Long::sum);
      }
    }
    summary.put("model_versions", versions);
    summary.put("broken_promises", brokenPromises(rows));
  }

  @Override
  public String countBehind(String p99Name) {
    return "prediction_p99_count";
  }

  /** Dispatches that the figures count. */
  public static List<DispatchRow> predicted(RunRows run) {
    return run.measuredDoneDispatches().stream()
        .filter(row -> row.prediction().meanNs() > 0 && row.serviceNs() > 0)
        .toList();
  }

  private static List<Map<String, @Nullable Object>> overTime(List<DispatchRow> rows, RunRows run) {
    List<Map<String, @Nullable Object>> parts = new ArrayList<>();
    long lengthNs = run.windowEndNs() - run.windowStartNs();
    for (int part = 0; part < PARTS; part++) {
      long fromNs = run.windowStartNs() + lengthNs * part / PARTS;
      long toNs = run.windowStartNs() + lengthNs * (part + 1) / PARTS;
      Map<String, @Nullable Object> figures = new LinkedHashMap<>();
      figures.put("from_s", fromNs / 1e9);
      figures.put("to_s", toNs / 1e9);
      figures.putAll(figures(rows.stream().filter(row -> endsIn(row, fromNs, toNs)).toList()));
      parts.add(figures);
    }
    return parts;
  }

  private static boolean endsIn(DispatchRow row, long fromNs, long toNs) {
    long endNs = row.requireFinishedAtNs();
    return fromNs <= endNs && endNs < toNs;
  }

  private static Map<String, @Nullable Object> figures(List<DispatchRow> rows) {
    Map<String, @Nullable Object> figures = new LinkedHashMap<>();
    double[] errors = sorted(rows, row -> Math.abs(logRatio(row)));
    double[] biases = sorted(rows, PredictionFigures::logRatio);
    figures.put("count", rows.size());
    figures.put("error_median", median(errors));
    figures.put("bias", orNull(Arrays.stream(biases).average().orElse(Double.NaN)));
    figures.put("bias_median", median(biases));
    for (UpperBound bound : UpperBound.values()) {
      List<DispatchRow> judged = bound.judged(rows);
      figures.put(bound.text() + "_count", judged.size());
      figures.put(
          bound.text() + "_miss_rate", orNull((double) misses(bound, judged) / judged.size()));
      figures.put(
          bound.text() + "_pinball",
          orNull(
              judged.stream()
                  .mapToDouble(row -> pinball(bound, row))
                  .average()
                  .orElse(Double.NaN)));
      figures.put(
          bound.text() + "_over_median",
          median(sorted(judged, row -> (double) bound.ns(row) / row.prediction().meanNs())));
    }
    return figures;
  }

  private static double[] sorted(List<DispatchRow> rows, ToDoubleFunction<DispatchRow> value) {
    return rows.stream().mapToDouble(value).sorted().toArray();
  }

  private static double logRatio(DispatchRow row) {
    return Math.log((double) row.serviceNs() / row.prediction().meanNs());
  }

  private static long misses(UpperBound bound, List<DispatchRow> judged) {
    return judged.stream().filter(bound::missed).count();
  }

  private static double pinball(UpperBound bound, DispatchRow row) {
    double above = Math.log((double) row.serviceNs() / bound.ns(row));
    return Math.max(bound.probability() * above, (bound.probability() - 1) * above);
  }

  private static List<String> brokenPromises(List<DispatchRow> rows) {
    List<String> broken = new ArrayList<>();
    for (UpperBound bound : UpperBound.values()) {
      List<DispatchRow> judged = bound.judged(rows);
      long misses = misses(bound, judged);
      double promised = 1 - bound.probability();
      if (judged.size() >= PROMISE_COUNT_MIN
          && BinomialTest.twoSided(misses, judged.size(), promised) < PROMISE_LEVEL) {
        broken.add(
            String.format(
                Locale.ROOT,
                "the predicted %s was missed by %.2f %% of %d batches, and promised %.0f %%"
                    + " (binomial test, level %s)",
                bound.text(),
                100.0 * misses / judged.size(),
                judged.size(),
                100 * promised,
                PROMISE_LEVEL));
      }
    }
    return broken;
  }

  private static @Nullable Double median(double[] sorted) {
    return sorted.length == 0
        ? null
        : Double.valueOf(sorted[(int) NearestRank.of(50, sorted.length) - 1]);
  }

  private static @Nullable Double orNull(double value) {
    return Double.isNaN(value) ? null : Double.valueOf(value);
  }
}
