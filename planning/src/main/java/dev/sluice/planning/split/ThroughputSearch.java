package dev.sluice.planning.split;

import dev.sluice.planning.split.StageCosts.Split;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The smallest bottleneck. {@link FarthestCuts} narrows the limit down to a plan that it cannot
 * better, within which all is searched.
 */
final class ThroughputSearch extends ExactSearch {
  /** Count vectors that make another round of updates worth its time. */
  private static final int VECTORS_PER_ROUND = 100;

  private static final int ROUNDS_MAX = 150;

  /** Share of the bottleneck to which the quick search narrows the limit. */
  private static final double BISECTED_SHARE = 3e-3;

  private final StageEnds ends;
  private final List<LayerWeights> weights = new ArrayList<>();
  private double bestSeconds = Double.MAX_VALUE;

  /** Earliest cut behind which the hosts left might finish. */
  private int earliest;

  ThroughputSearch(StageCosts costs, CountVectors vectors, SearchSettings settings) {
    super(costs, vectors, settings);
    ends = new StageEnds(costs);
  }

  @Override
  void search() {
    weights.add(LayerWeights.ofTimes(costs));
    weights.add(LayerWeights.ofMemory(costs));
    if (!limitTo(Double.MAX_VALUE)) {
      return;
    }
    var farthest = new FarthestCuts(costs, vectors, settings);
    take(farthest.search(ends, weights));
    if (best != null) {
      lowerSeconds = leastOfLayers();
      bisect(farthest);
      sharpen();
    }
    Split known = best;
    boolean allEqual =
        known != null && (below(bestSeconds) < lowerSeconds || !limitTo(below(bestSeconds)));
    if (known != null && allEqual) {
      hostsMax = Math.min(hostsMax, known.size()); // no plan is better, and fewer hosts win
    }
    double limit = Math.min(bestSeconds * (1 + Pricing.EQUAL_SHARE), Double.MAX_VALUE);
    if (limitTo(limit)) {
      fill(limit, allEqual);
      takeFirst();
    }
  }

  /** Narrows the limit by the quick search. */
  private void bisect(FarthestCuts farthest) {
    double failed = lowerSeconds * (1 - 1e-9);
    double step = 0.02;
    double limit = lowerSeconds * (1 + step);
    boolean improved = false;
    while (bestSeconds - failed > BISECTED_SHARE * bestSeconds) {
      if (limit >= bestSeconds || limit <= failed || improved) {
        limit = failed + (bestSeconds - failed) / 2;
      }
      Split found = limitTo(limit) ? farthest.search(ends, weights) : null;
      if (found == null) {
        failed = limit;
        step *= 2;
        limit = lowerSeconds * (1 + step);
      } else {
        take(found);
        improved = true;
      }
    }
  }

  /** Makes the weights prune more below the best, where there is much to prune. */
  private void sharpen() {
    int rounds = (int) Math.min(ROUNDS_MAX, vectors.size() / VECTORS_PER_ROUND);
    if (rounds > 0 && below(bestSeconds) >= lowerSeconds) {
      ends.limitTo(below(bestSeconds));
      weights.set(0, weights.get(0).improved(ends, settings.hostsMax(), rounds));
    }
  }

  /** Takes in the limit; returns false if the weights prove that no plan is within it. */
  private boolean limitTo(double seconds) {
    ends.limitTo(seconds);
    for (LayerWeights weight : weights) {
      weight.limitTo(ends);
      if (weight.prove(settings.hostsMax())) {
        return false;
      }
    }
    return true;
  }

  private void take(@Nullable Split found) {
    if (found != null) {
      double seconds = costs.bottleneckSeconds(found);
      if (seconds < bestSeconds) {
        best = found;
        bestSeconds = seconds;
      }
    }
  }

  /** The largest value that is less than the bottleneck, and not equal to it. */
  private static double below(double seconds) {
    return seconds * (1 - Pricing.EQUAL_SHARE);
  }

  /** The largest of all layers' least compute times. */
  private double leastOfLayers() {
    double largest = 0;
    for (int layer = 0; layer < costs.layers; layer++) {
      double least = Double.POSITIVE_INFINITY;
      for (int t = 0; t < costs.classes; t++) {
        least = Math.min(least, costs.seconds(t, layer, layer + 1));
      }
      largest = Math.max(largest, least);
    }
    return largest;
  }

  @Override
  double joined(double before, double behind) {
    return Math.max(before, behind);
  }

  @Override
  void take(int[] used, int hostsLeft) {
    earliest = 0;
    for (LayerWeights weight : weights) {
      earliest = Math.max(earliest, weight.earliestCut(used, hostsLeft));
    }
  }

  @Override
  int firstEnd(int hostClass, int from, double value, double limit) {
    return value > limit ? Integer.MAX_VALUE : Math.max(earliest, costs.firstEnd(hostClass, from));
  }

  @Override
  boolean mayEnd(int cut, int bandwidth, double value, double limit) {
    return cut >= earliest;
  }
}
