package dev.sluice.planning.split;

/**
 * A bound on latency: the least latency behind each cut if hosts were without number, each use of a
 * class at a price. A plan pays each price at most as often as hosts are left, so that the least
 * sum less these payments is a bound for any prices of at least 0 (Lagrangian relaxation; Held and
 * Karp 1970). Without prices it is the search's problem without counts.
 */
final class PricedLayers {
  private final StageCosts costs;

  /** Price of a use, by class, and of the use of any host. */
  private final double[] prices;

  private double priceOfAny;

  /** Least priced latency behind each cut and last bandwidth. */
  private double[] behind;

  /** Least priced latency behind each cut, of a stage of the class that begins there. */
  private double[][] next;

  private final int[][] nextEnd;

  PricedLayers(StageCosts costs) {
    this.costs = costs;
    prices = new double[costs.classes];
    behind = new double[(costs.layers + 1) * costs.bandwidths.length];
    next = new double[costs.classes][costs.layers];
    nextEnd = new int[costs.classes][costs.layers];
    fill();
  }

  /** Least latency behind the cut and the bandwidth before it, with prices. */
  double behind(int cut, int bandwidth) {
    return behind[cut * costs.bandwidths.length + bandwidth];
  }

  /** Least latency, with prices but for the first, of a stage of the class and of all behind it. */
  double next(int hostClass, int from) {
    return next[hostClass][from];
  }

  /** The most that the hosts left can pay. */
  double payments(int[] used, int hostsLeft) {
    double sum = priceOfAny * hostsLeft;
    for (int t = 0; t < prices.length; t++) {
      sum += prices[t] * (costs.capacity[t] - used[t]);
    }
    return sum;
  }

  /** Bound that no plan's latency is below; infinite if there is no plan. */
  double bound(int hostsMax) {
    return behind(0, 0) - payments(new int[prices.length], hostsMax);
  }

  /** Sets the prices to those of the best bound found, by subgradient steps towards it. */
  void improve(int hostsMax, int rounds) {
    double best = bound(hostsMax);
    if (best == Double.POSITIVE_INFINITY) {
      return;
    }
    double[] bestPrices = prices.clone();
    double bestPriceOfAny = priceOfAny;
    double step = 1;
    for (int round = 0; round < rounds; round++) {
      int[] asked = new int[prices.length];
      int hosts = ask(asked);
      double square = Math.pow(Math.max(0, hosts - hostsMax), 2);
      boolean over = hosts > hostsMax;
      for (int t = 0; t < prices.length; t++) {
        int more = asked[t] - costs.capacity[t];
        square += more > 0 || prices[t] > 0 ? (double) more * more : 0;
        over |= more > 0;
      }
      if (square == 0 || (!over && round == 0)) {
        break;
      }
      double length = step * 0.05 * Math.abs(best) / square;
      for (int t = 0; t < prices.length; t++) {
        prices[t] = Math.max(0, prices[t] + length * (asked[t] - costs.capacity[t]));
      }
      priceOfAny = Math.max(0, priceOfAny + length * ((double) hosts - hostsMax));
      fill();
      double bound = bound(hostsMax);
      if (bound > best) {
        best = bound;
        bestPrices = prices.clone();
        bestPriceOfAny = priceOfAny;
      } else {
        step *= 0.93;
      }
    }
    System.arraycopy(bestPrices, 0, prices, 0, prices.length);
    priceOfAny = bestPriceOfAny;
    fill();
  }

  /** Counts the classes that the least priced latency uses. */
  private int ask(int[] asked) {
    int hosts = 0;
    int bandwidth = 0;
    for (int cut = 0; cut < costs.layers; hosts++) {
      int t = cheapest(cut, bandwidth);
      asked[t]++;
      bandwidth = costs.bandwidthOf[t];
      cut = nextEnd[t][cut];
    }
    return hosts;
  }

  private int cheapest(int cut, int bandwidth) {
    int best = 0;
    double least = Double.POSITIVE_INFINITY;
    for (int t = 0; t < prices.length; t++) {
      double seconds = costs.transferSeconds(cut, bandwidth, t) + price(t) + next[t][cut];
      if (seconds < least) {
        least = seconds;
        best = t;
      }
    }
    return best;
  }

  double price(int hostClass) {
    return prices[hostClass] + priceOfAny;
  }

  private void fill() {
    int layers = costs.layers;
    int count = costs.bandwidths.length;
    for (int cut = layers - 1; cut >= 0; cut--) {
      for (int t = 0; t < prices.length; t++) {
        double least = Double.POSITIVE_INFINITY;
        for (int to = costs.firstEnd(t, cut); to <= costs.lastEnd(t, cut); to++) {
          double seconds = costs.seconds(t, cut, to) + behind[to * count + costs.bandwidthOf[t]];
          if (seconds < least && costs.fits(t, cut, to)) {
            least = seconds;
            nextEnd[t][cut] = to;
          }
        }
        next[t][cut] = least;
      }
      for (int bandwidth = 0; bandwidth < count; bandwidth++) {
        int t = cheapest(cut, bandwidth);
        behind[cut * count + bandwidth] =
            costs.transferSeconds(cut, bandwidth, t) + price(t) + next[t][cut];
      }
    }
  }
}
