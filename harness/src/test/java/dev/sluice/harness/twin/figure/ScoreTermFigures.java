package dev.sluice.harness.twin.figure;

import dev.sluice.analytics.summary.Summary;
import dev.sluice.harness.twin.fold.DispatchRow;
import dev.sluice.harness.twin.fold.RunRows;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * score_term_shares: weight of each term in a policy's decisions. A share is the mean of |term| /
 * sum of |terms| over the dispatches that carry score terms and ended measured jobs as done, each
 * once. Empty for a policy without a score; terms by name.
 */
final class ScoreTermFigures implements Figure {
  @Override
  public List<String> names() {
    return List.of();
  }

  @Override
  public void addTo(Summary summary, RunRows run) {
    Map<String, Double> sums = new TreeMap<>();
    long scored = 0;
    for (DispatchRow row : run.measuredDoneDispatches()) {
      // Sorted by name: the sum depends on the order, and the order of the map on chance.
      Map<String, Double> terms = new TreeMap<>(row.dispatch().decision().scoreTerms());
      double total = terms.values().stream().mapToDouble(Math::abs).sum();
      if (total > 0) {
        scored++;
        terms.forEach((name, term) -> sums.merge(name, Math.abs(term) / total, Double::sum));
      }
    }
    Map<String, Double> shares = new LinkedHashMap<>();
    for (Map.Entry<String, Double> sum : sums.entrySet()) {
      shares.put(sum.getKey(), sum.getValue() / scored);
    }
    summary.put("score_term_shares", shares);
  }
}
