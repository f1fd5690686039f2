package dev.sluice.planning.split;

import java.util.ArrayList;
import java.util.List;

/**
 * The smallest bottleneck. {@link BeamSearch} narrows the limit down to a plan that it cannot
 * better, within which all is searched.
 */
final class ThroughputSearch extends ExactSearch {
  /** Count vectors that make another round of updates worth its time. */
  private static final int VECTORS_PER_ROUND = 100;

  private static final int ROUNDS_MAX = 150;

  /** Beginnings that the beam keeps: more take it longer than they spare the search of all. */
  private static final int WIDTH = 8;

  /** Finds the best split known, also where time is up before all is searched. */
  private final BeamSearch beam;

  private final StageEnds ends;
  private final List<LayerWeights> weights = new ArrayList<>();

  /** Earliest cut behind which the hosts left might finish. */
  private int earliest;

  ThroughputSearch(
      StageCosts costs, CountVectors vectors, BeamSearch beam, SearchSettings settings) {
    super(costs, vectors, settings);
    this.beam = beam;
    ends = new StageEnds(costs);
  }

  @Override
  void search() {
    weights.add(LayerWeights.ofTimes(costs));
    weights.add(LayerWeights.ofMemory(costs));
    if (!limitTo(Double.MAX_VALUE)) {
      return;
    }
    double bestSeconds = Double.MAX_VALUE;
    beam.best = beam.searchWithin(ends, weights.get(0), WIDTH);
    if (beam.best != null) {
      lowerSeconds = leastOfLayers();
      beam.narrow(ends, weights.get(0), lowerSeconds, WIDTH);
      best = beam.best;
      bestSeconds = costs.bottleneckSeconds(best);
      sharpen(bestSeconds);
    }
    boolean allEqual =
        best != null && (below(bestSeconds) < lowerSeconds || !limitTo(below(bestSeconds)));
    if (best != null && allEqual) {
      hostsMax = Math.min(hostsMax, best.size()); // no plan is better, and fewer hosts win
    }
    double limit = Math.min(bestSeconds * (1 + Pricing.EQUAL_SHARE), Double.MAX_VALUE);
    if (limitTo(limit)) {
      fill(limit, allEqual);
      takeFirst();
    }
  }

  /** Makes the weights prune more below the best, where there is much to prune. */
  private void sharpen(double bestSeconds) {
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
