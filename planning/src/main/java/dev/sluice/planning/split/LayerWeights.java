package dev.sluice.planning.split;

import java.util.Arrays;

/**
 * A bound by weights of layers: each host takes at most the weight of its class's best whole stage,
 * and all hosts together must take the weight of all layers. It holds for any weights of at least
 * 0; the search chooses those that bind.
 */
final class LayerWeights {
  /** Share of all weight that rounding may take: a bound never cuts off what is possible. */
  private static final double ROUNDING = 1e-9;

  /** First step of an update; it falls with the root of the rounds. */
  private static final double STEP = 1;

  /** Rounds after which the mean is tried. */
  private static final int MEAN_ROUNDS = 50;

  private final StageCosts costs;

  /** Weight behind each cut. */
  private final double[] behind;

  private final double total;

  /** Weight of each class's best whole stage within the limit. */
  private final double[] gains;

  private final int[] bestFrom;
  private final int[] byGain;

  LayerWeights(StageCosts costs, double[] weights) {
    this.costs = costs;
    gains = new double[costs.classes];
    bestFrom = new int[costs.classes];
    byGain = new int[costs.classes];
    behind = new double[costs.layers + 1];
    for (int layer = costs.layers; layer > 0; layer--) {
      behind[layer - 1] = behind[layer] + weights[layer - 1];
    }
    if (!(behind[0] < Double.POSITIVE_INFINITY)) {
      Arrays.fill(behind, 0); // sums beyond all numbers bind nothing
    }
    total = behind[0];
  }

  /** Takes in the stages within a limit. */
  void limitTo(StageEnds ends) {
    for (int t = 0; t < costs.classes; t++) {
      double best = 0;
      for (int from = 0; from < costs.layers; from++) {
        int end = ends.farthest(t, from);
        if (end > 0 && behind[from] - behind[end] > best) {
          best = behind[from] - behind[end];
          bestFrom[t] = from;
        }
      }
      gains[t] = best;
      int place = t;
      while (place > 0 && gains[byGain[place - 1]] < best) {
        byGain[place] = byGain[place - 1];
        place--;
      }
      byGain[place] = t;
    }
  }

  double gain(int hostClass) {
    return gains[hostClass];
  }

  double behind(int cut) {
    return behind[cut];
  }

  /** Returns the earliest cut behind which the hosts left might finish. */
  int earliestCut(int[] used, int hostsLeft) {
    double left = total * ROUNDING;
    int hosts = hostsLeft;
    for (int place = 0; place < gains.length && hosts > 0; place++) {
      int t = byGain[place];
      int taken = Math.min(hosts, costs.capacity[t] - used[t]);
      left += taken * gains[t];
      hosts -= taken;
    }
    if (left >= total) {
      return 0;
    }
    int before = 0;
    int cut = costs.layers;
    while (cut - before > 1) { // behind the former there is too much, and behind the latter not
      int middle = (before + cut) >>> 1;
      if (behind[middle] > left) {
        before = middle;
      } else {
        cut = middle;
      }
    }
    return cut;
  }

  /** Share of the weight that all hosts can take; below 1, no plan is within the limit. */
  double coverage(int hostsMax) {
    double left = 0;
    int hosts = hostsMax;
    for (int place = 0; place < gains.length; place++) {
      int taken = Math.min(hosts, costs.capacity[byGain[place]]);
      left += taken * gains[byGain[place]];
      hosts -= taken;
    }
    return total == 0 ? 1 : left / total;
  }

  /** Returns whether the weights prove that no plan is within the limit. */
  boolean prove(int hostsMax) {
    return coverage(hostsMax) < 1 - ROUNDING;
  }

  /**
   * Returns weights that bind more than these within the limit, or these, found by multiplicative
   * updates (Arora, Hazan and Kale 2012): a layer that best stages cover often becomes light. The
   * mean of all rounds' weights counts too.
   */
  LayerWeights improved(StageEnds ends, int hostsMax, int rounds) {
    double[] weights = new double[costs.layers];
    Arrays.setAll(weights, layer -> behind[layer] - behind[layer + 1]);
    double[] sums = new double[costs.layers];
    LayerWeights best = this;
    LayerWeights now = this;
    now.limitTo(ends);
    for (int round = 1; round <= rounds; round++) {
      now.spread(ends, hostsMax, weights, STEP / Math.sqrt(round));
      now = new LayerWeights(costs, weights);
      best = better(best, now, ends, hostsMax);
      Arrays.setAll(sums, layer -> sums[layer] + weights[layer]);
      if (round % MEAN_ROUNDS == 0) {
        best = better(best, new LayerWeights(costs, sums), ends, hostsMax);
      }
    }
    return best;
  }

  private static LayerWeights better(
      LayerWeights best, LayerWeights other, StageEnds ends, int hostsMax) {
    other.limitTo(ends);
    return other.coverage(hostsMax) < best.coverage(hostsMax) ? other : best;
  }

  /** Makes layers lighter that the best stages cover more often than others. */
  private void spread(StageEnds ends, int hostsMax, double[] weights, double step) {
    double[] covered = new double[costs.layers + 1];
    int hosts = hostsMax;
    for (int place = 0; place < gains.length; place++) {
      int t = byGain[place];
      int taken = Math.min(hosts, costs.capacity[t]);
      hosts -= taken;
      if (gains[t] > 0) {
        covered[bestFrom[t]] += taken;
        covered[ends.farthest(t, bestFrom[t])] -= taken;
      }
    }
    double most = 1;
    for (int layer = 1; layer < costs.layers; layer++) {
      covered[layer] += covered[layer - 1];
      most = Math.max(most, covered[layer]);
    }
    double sum = 0;
    for (int layer = 0; layer < costs.layers; layer++) {
      weights[layer] *= Math.exp(-step * (covered[layer] - 1) / most);
      sum += weights[layer];
    }
    for (int layer = 0; layer < costs.layers; layer++) {
      weights[layer] /= sum;
    }
  }

  /**
   * Returns weights that bind for the sum of compute times: the times of the class that is cheapest
   * by prices, and prices under which each class is asked for as much as it has.
   */
  static LayerWeights ofTimes(StageCosts costs) {
    int classes = costs.classes;
    double[] prices = new double[classes];
    for (int t = 0; t < classes; t++) {
      prices[t] = 1 / Math.max(costs.seconds(t, 0, costs.layers), Double.MIN_NORMAL);
    }
    double[] weights = new double[costs.layers];
    double[] best = weights;
    double bestSeconds = -1;
    for (int round = 1; round <= 60; round++) {
      double[] asked = new double[classes];
      double value = 0;
      for (int layer = 0; layer < costs.layers; layer++) {
        int cheapest = 0;
        double least = Double.POSITIVE_INFINITY;
        for (int t = 0; t < classes; t++) {
          double price = prices[t] * costs.seconds(t, layer, layer + 1);
          if (price < least) {
            least = price;
            cheapest = t;
          }
        }
        asked[cheapest] += costs.seconds(cheapest, layer, layer + 1);
        weights[layer] = least;
        value += least;
      }
      double pricesOfAll = 0;
      for (int t = 0; t < classes; t++) {
        pricesOfAll += prices[t] * costs.capacity[t];
      }
      double seconds = value / pricesOfAll;
      if (seconds > bestSeconds) {
        bestSeconds = seconds;
        best = weights.clone();
      }
      for (int t = 0; t < classes; t++) {
        double share = seconds <= 0 ? 1 : asked[t] / (costs.capacity[t] * seconds);
        prices[t] *= Math.exp(Math.min(2, share - 1) / (1 + round / 4.0));
      }
    }
    double sum = Arrays.stream(best).sum();
    if (sum > 0) {
      for (int layer = 0; layer < costs.layers; layer++) {
        best[layer] /= sum;
      }
    }
    return new LayerWeights(costs, best);
  }

  /** Returns weights that bind for memory: the memory of layers. */
  static LayerWeights ofMemory(StageCosts costs) {
    double[] weights = new double[costs.layers];
    double sum = Math.max(costs.layerBytes(0, costs.layers), Double.MIN_NORMAL);
    Arrays.setAll(weights, layer -> costs.layerBytes(layer, layer + 1) / sum);
    return new LayerWeights(costs, weights);
  }
}
