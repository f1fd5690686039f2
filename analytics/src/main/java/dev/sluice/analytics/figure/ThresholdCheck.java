package dev.sluice.analytics.figure;

import dev.sluice.analytics.fold.RunRows;
import dev.sluice.analytics.statistic.Decimals;
import dev.sluice.analytics.statistic.NearestRank;
import dev.sluice.analytics.summary.Summary;
import dev.sluice.analytics.summary.Verdict;
import dev.sluice.contract.experiment.Experiment.Threshold;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Results of the experiment's thresholds: met, missed, or undecided. A threshold on a p99 of fewer
 * than {@value NearestRank#COUNT_FOR_P99} jobs, or on a figure without a value, is undecided; an
 * infinite figure is above every bound.
 */
final class ThresholdCheck {
  private ThresholdCheck() {}

  static void addTo(Summary summary, RunRows run) {
    Map<String, Object> results = new LinkedHashMap<>();
    run.context()
        .experiment()
        .thresholds()
        .forEach(
            (name, threshold) -> {
              Double value = summary.figure(name);
              String result = result(summary, name, threshold, value);
              if (!result.equals("met")) {
                summary.worsen(Verdict.MISSED);
              }
              Map<String, @Nullable Object> entry = new LinkedHashMap<>();
              entry.put("bound", threshold.comparison() + " " + Decimals.plain(threshold.value()));
              entry.put("value", value);
              entry.put("result", result);
              results.put(name, entry);
            });
    summary.put("thresholds", results);
  }

  private static String result(
      Summary summary, String name, Threshold threshold, @Nullable Double value) {
    if (value == null || standsOnFewJobs(summary, name)) {
      return "undecided";
    }
    return holds(threshold, value) ? "met" : "missed";
  }

  private static boolean standsOnFewJobs(Summary summary, String name) {
    if (!name.contains("p99_")) {
      return false;
    }
    Double values = summary.figure(Figures.countBehind(name));
    return values != null && values < NearestRank.COUNT_FOR_P99;
  }

  private static boolean holds(Threshold threshold, double value) {
    return switch (threshold.comparison()) {
      case "<" -> value < threshold.value();
      case "<=" -> value <= threshold.value();
      case ">" -> value > threshold.value();
      case ">=" -> value >= threshold.value();
      default ->
          throw new IllegalArgumentException("no comparison is named " + threshold.comparison());
    };
  }
}
