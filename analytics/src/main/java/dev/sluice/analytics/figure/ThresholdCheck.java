package dev.sluice.analytics.figure;

import dev.sluice.analytics.fold.RunRows;
import dev.sluice.analytics.folder.Summary;
import dev.sluice.analytics.folder.Verdict;
import dev.sluice.analytics.statistic.Decimals;
import dev.sluice.analytics.statistic.NearestRank;
import dev.sluice.contract.experiment.Experiment.Threshold;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Results of the experiment's thresholds: met, missed, or undecided. A threshold on a p99 of fewer
 * than {@value NearestRank#COUNT_FOR_P99} values, on a latency's p95 of fewer than {@value
 * NearestRank#COUNT_FOR_P95} jobs, or on a figure without a value, is undecided; an infinite figure
 * is above every bound.
 */
final class ThresholdCheck {
  private ThresholdCheck() {}

  static void addTo(Summary summary, RunRows run) {
    Map<String, Object> results = new LinkedHashMap<>();
    List<String> undecided = new ArrayList<>();
    run.context()
        .experiment()
        .thresholds()
        .forEach(
            (name, threshold) -> {
              Double value = summary.figure(name);
              String result = result(summary, name, threshold, value);
              String bound = threshold.comparison() + " " + Decimals.plain(threshold.value());
              if (result.equals("missed")) {
                summary.worsen(Verdict.MISSED, "threshold missed: " + name + " " + bound);
              } else if (result.equals("undecided")) {
                undecided.add("threshold undecided: " + name + " " + bound);
              }
              Map<String, @Nullable Object> entry = new LinkedHashMap<>();
              entry.put("bound", bound);
              entry.put("value", value);
              entry.put("result", result);
              results.put(name, entry);
            });
    summary.put("thresholds", results);
    if (summary.verdict() != Verdict.MISSED) { // a missed one is certain whatever the others are
      undecided.forEach(why -> summary.worsen(Verdict.INCONCLUSIVE, why));
    }
    if (!results.isEmpty() && Boolean.TRUE.equals(summary.values().get("unstable"))) {
      summary.worsen(
          Verdict.INCONCLUSIVE,
          "unstable: the queue rose over the whole window, so that a longer run has worse figures");
    }
  }

  private static String result(
      Summary summary, String name, Threshold threshold, @Nullable Double value) {
    if (value == null || standsOnFewJobs(summary, name)) {
      return "undecided";
    }
    return threshold.holds(value) ? "met" : "missed";
  }

  private static boolean standsOnFewJobs(Summary summary, String name) {
    Figure.Definition definition = Figures.definition(name);
    int least = definition == null ? 0 : definition.fewBelow();
    Double values = least == 0 ? null : summary.figure(Figures.countBehind(name));
    return values != null && values < least;
  }
}
