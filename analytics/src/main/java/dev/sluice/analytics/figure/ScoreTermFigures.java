package dev.sluice.analytics.figure;

import dev.sluice.analytics.fold.RunRows;
import dev.sluice.analytics.row.Batches;
import dev.sluice.analytics.row.Summary;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.DoubleStream;

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
  public Fold begin(RunRows run) {
    return new Shares(run.batches());
  }

  private static final class Shares implements OfDone {
    private final Batches batches;
    private final List<String> names;

    /** Places of a set's terms among the names, by the set's number. */
    private final int[][] placesOfSet;

    private final double[] sums;
    private final boolean[] occurs;
    private long scored;

    Shares(Batches batches) {
      this.batches = batches;
      List<List<String>> sets = batches.termSets();
      names = sets.stream().flatMap(List::stream).distinct().sorted().toList();
      placesOfSet =
          sets.stream()
              .map(set -> set.stream().mapToInt(names::indexOf).toArray())
              .toArray(int[][]::new);
      sums = new double[names.size()];
      occurs = new boolean[names.size()];
    }

    @Override
    public void takeDone(int batch) {
      int set = batches.termSet(batch);
      if (set < 0) {
        return;
      }
      int[] places = placesOfSet[set];
      double[] terms = new double[places.length]; // by name: the sum depends on the order
      Arrays.setAll(terms, place -> Math.abs(batches.term(batch, place)));
      double total = DoubleStream.of(terms).sum();
      if (total > 0) {
        scored++;
        for (int i = 0; i < places.length; i++) {
          sums[places[i]] += terms[i] / total;
          occurs[places[i]] = true;
        }
      }
    }

    @Override
    public void addTo(Summary summary) {
      Map<String, Double> shares = new LinkedHashMap<>();
      for (int i = 0; i < sums.length; i++) {
        if (occurs[i]) {
          shares.put(names.get(i), sums[i] / scored);
        }
      }
      summary.put("score_term_shares", shares);
    }
  }
}
