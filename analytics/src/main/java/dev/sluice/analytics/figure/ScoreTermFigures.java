package dev.sluice.analytics.figure;

import dev.sluice.analytics.column.IntColumn;
import dev.sluice.analytics.fold.RunRows;
import dev.sluice.analytics.row.Batches;
import dev.sluice.analytics.summary.Summary;
import java.util.Arrays;
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
    Batches batches = run.batches();
    IntColumn rows = run.measuredDoneBatches();
    for (int i = 0; i < rows.size(); i++) {
      int batch = rows.get(i);
      List<String> names = batches.termNames(batch); // by name: the sum depends on the order
      if (names.isEmpty()) {
        continue;
      }
      var terms = new double[names.size()];
      Arrays.setAll(terms, place -> Math.abs(batches.term(batch, place)));
      double total = Arrays.stream(terms).sum();
      if (total > 0) {
        scored++;
        for (int place = 0; place < terms.length; place++) {
          sums.merge(names.get(place), terms[place] / total, Double::sum);
        }
      }
    }
    Map<String, Double> shares = new LinkedHashMap<>();
    for (Map.Entry<String, Double> sum : sums.entrySet()) {
      shares.put(sum.getKey(), sum.getValue() / scored);
    }
    summary.put("score_term_shares", shares);
  }
}
