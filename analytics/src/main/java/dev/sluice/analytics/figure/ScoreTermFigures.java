package dev.sluice.analytics.figure;

import dev.sluice.analytics.fold.RunRows;
import dev.sluice.analytics.row.Batches.BatchRow;
import dev.sluice.analytics.row.Summary;
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
  public List<Definition> numbers() {
    return List.of();
  }

  @Override
  public void addTo(Summary summary, RunRows run) {
    Map<String, Double> shares = new TreeMap<>();
    long scored = 0;
    for (BatchRow batch : run.measuredDoneBatches()) {
      if (batch.kind().termNames().isEmpty()) {
        continue;
      }
      Map<String, Double> terms = batch.terms();
      double total = terms.values().stream().mapToDouble(Math::abs).sum(); // by name
      if (total > 0) {
        scored++;
        terms.forEach((name, term) -> shares.merge(name, Math.abs(term) / total, Double::sum));
      }
    }
    double count = scored;
    shares.replaceAll((name, share) -> share / count);
    summary.put("score_term_shares", shares);
  }
}
