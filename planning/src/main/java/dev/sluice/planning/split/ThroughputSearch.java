package dev.sluice.planning.split;

import dev.sluice.planning.split.Planner.ExactEnd;
import dev.sluice.planning.split.SearchSettings.OutOfTimeException;
import dev.sluice.planning.split.StageCosts.Split;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The smallest bottleneck. {@link FarthestCuts} narrows the limit down to a plan that it cannot
 * better; {@link ReachableCuts} then proves that no plan is below, or finds one.
 */
final class ThroughputSearch {
  /** Count vectors that make another round of updates worth its time. */
  private static final int VECTORS_PER_ROUND = 400;

  private static final int ROUNDS_MAX = 150;

  private final StageCosts costs;
  private final SearchSettings settings;
  private final CountVectors vectors;
  private final StageEnds ends;
  private final List<LayerWeights> weights = new ArrayList<>();
  private final FarthestCuts farthest;

  private @Nullable Split best;
  private double bestSeconds = Double.POSITIVE_INFINITY;
  private double lowerSeconds;

  ThroughputSearch(StageCosts costs, CountVectors vectors, SearchSettings settings) {
    this.costs = costs;
    this.settings = settings;
    this.vectors = vectors;
    ends = new StageEnds(costs);
    farthest = new FarthestCuts(costs, vectors, settings);
  }

  /** Searches until the end or until time is up. */
  ExactEnd run() {
    try {
      search();
      return new ExactEnd(best, lowerSeconds, true);
    } catch (OutOfTimeException e) {
      return new ExactEnd(best, lowerSeconds, false);
    }
  }

  private void search() {
    weights.add(LayerWeights.ofTimes(costs));
    weights.add(LayerWeights.ofMemory(costs));
    if (!limitTo(Double.MAX_VALUE)) {
      return;
    }
    take(farthest.search(ends, weights));
    ReachableCuts exact = null;
    if (best == null) {
      exact = new ReachableCuts(costs, vectors, settings);
      take(exactly(exact));
      if (best == null) {
        return;
      }
    }
    lowerSeconds = leastOfLayers();
    bisect();
    sharpen();
    exact = exact == null ? new ReachableCuts(costs, vectors, settings) : exact;
    prove(exact);
    lowerSeconds = bestSeconds;
    limitTo(bestSeconds * (1 + StageCosts.EQUAL_SHARE));
    ends.fillRows();
    int hosts = exact.fillFewest(ends, weights, Objects.requireNonNull(best).size());
    best = new FirstOfEqual(costs, vectors, settings, ends, exact).find(hosts);
  }

  /** Narrows the limit by the quick search, until no stage's time lies between its two ends. */
  private void bisect() {
    double failed = lowerSeconds * (1 - 1e-9);
    double step = 0.02;
    double limit = lowerSeconds * (1 + step);
    boolean improved = false;
    while (true) {
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
      ends.limitTo(below(bestSeconds));
      if (ends.largestSeconds() <= failed) {
        return;
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

  /** Proves that no plan is below the best, or takes it and goes on. */
  private void prove(ReachableCuts exact) {
    double failed = lowerSeconds * (1 - 1e-9);
    double limit = below(bestSeconds);
    while (limit >= lowerSeconds) {
      Split found = limitTo(limit) ? exactly(exact) : null;
      if (found == null) {
        failed = limit;
        lowerSeconds = Math.max(lowerSeconds, limit);
      } else {
        take(found);
      }
      ends.limitTo(below(bestSeconds));
      double next = ends.largestSeconds();
      if (next <= failed) {
        return;
      }
      limit = failed + (next - failed) / 2;
      ends.limitTo(limit);
      limit = ends.largestSeconds() <= failed ? next : limit;
    }
  }

  private @Nullable Split exactly(ReachableCuts exact) {
    ends.fillRows();
    return exact.search(ends, weights, Math.min(settings.hostsMax(), costs.layers));
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
    return seconds * (1 - StageCosts.EQUAL_SHARE);
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
}
