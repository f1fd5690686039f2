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
 * The experiment's thresholds against the figures: met, missed, or undecided. A threshold on a p99
 * of fewer than {@value NearestRank#COUNT_FOR_P99} jobs, or on a figure without a value, is
 * undecided; an infinite figure is above every bound.
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
    int p99 = name.indexOf("p99_");
    if (p99 < 0) {
      return false;
    }
    Double values = summary.figure(countBehind(name, name.substring(0, p99)));
    return values != null && values < NearestRank.COUNT_FOR_P99;
  }

  /** The figure that says how many values the p99 of that name and its prefix stands on. */
  private static String countBehind(String name, String prefix) {
    if (!name.endsWith("p99_e2e_ms")) {
      return switch (prefix) {
        case "hop_", "bubble_" -> prefix + "count";
        case "emulation_late_" -> "emulation_count";
        case "prediction_" -> "prediction_p99_count";
        default -> "all_count"; // lateness and append delay: of all measured jobs
      };
    }
    return prefix.endsWith("completed_")
        ? prefix.substring(0, prefix.length() - "completed_".length()) + "done"
        : prefix + "count";
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
