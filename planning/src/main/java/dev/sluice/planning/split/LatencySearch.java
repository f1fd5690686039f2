package dev.sluice.planning.split;

/**
 * The smallest latency. A limit rises from the bound of {@link PricedLayers} until a split is
 * within it.
 */
final class LatencySearch extends ExactSearch {
  private static final int ROUNDS = 80;
  private static final double FIRST_STEP = 1e-4;
  private static final double STEP_GROWTH = 3;

  private final PricedLayers priced;

  /** The most that the hosts left can pay. */
  private double payments;

  LatencySearch(StageCosts costs, CountVectors vectors, SearchSettings settings) {
    super(costs, vectors, settings);
    priced = new PricedLayers(costs);
  }

  @Override
  void search() {
    lowerSeconds = priced.bound(hostsMax);
    if (lowerSeconds == Double.POSITIVE_INFINITY) {
      return;
    }
    priced.improve(hostsMax, ROUNDS);
    lowerSeconds = Math.max(lowerSeconds, priced.bound(hostsMax));
    double step = FIRST_STEP;
    double limit = lowerSeconds * (1 + step);
    fill(limit, false);
    while (leastSeconds > limit && limit < Double.MAX_VALUE) {
      lowerSeconds = limit;
      step *= STEP_GROWTH;
      limit = step > 1e3 ? Double.MAX_VALUE : Math.max(limit, Double.MIN_NORMAL) * (1 + step);
      fill(limit, false);
    }
    takeFirst();
  }

  @Override
  double joined(double before, double behind) {
    return before + behind;
  }

  @Override
  void take(int[] used, int hostsLeft) {
    payments = priced.payments(used, hostsLeft);
  }

  @Override
  int firstEnd(int hostClass, int from, double value, double limit) {
    return value + priced.next(hostClass, from) - payments <= limit
        ? costs.firstEnd(hostClass, from)
        : Integer.MAX_VALUE;
  }

  @Override
  boolean mayEnd(int cut, int bandwidth, double value, double limit) {
    return value + priced.behind(cut, bandwidth) - payments <= limit;
  }
}
