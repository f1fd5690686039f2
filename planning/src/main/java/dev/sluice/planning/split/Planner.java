package dev.sluice.planning.split;

import dev.sluice.planning.split.PlanOutcome.Found;
import dev.sluice.planning.split.PlanOutcome.Impossible;
import dev.sluice.planning.split.PlanOutcome.NotFound;
import dev.sluice.planning.split.PlanProblem.DeviceType;
import dev.sluice.planning.split.SearchSettings.Objective;
import dev.sluice.planning.split.SearchSettings.OutOfTimeException;
import dev.sluice.planning.split.StageCosts.Split;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Finds the best plan, and proves it where the count vectors are few enough. */
public final class Planner {
  /** Beginnings that a beam keeps of each number of stages: at first, and at most. */
  private static final int WIDTH_MIN = 32;

  private static final int WIDTH_MAX = 4096;

  private static final int WEIGHT_ROUNDS = 300;
  private static final int LAST_WEIGHT_ROUNDS = 2000;
  private static final int PRICE_ROUNDS = 200;

  private final PlanProblem problem;
  private final SearchSettings settings;
  private final StageCosts costs;
  private final CountVectors vectors;

  private @Nullable Split best;
  private LayerWeights weights;

  private Planner(PlanProblem problem, SearchSettings settings) {
    this.problem = problem;
    this.settings = settings;
    costs = new StageCosts(problem, settings.hostsMax());
    vectors = new CountVectors(costs.capacity);
    weights = LayerWeights.ofMemory(costs);
  }

  /** Returns the best plan with its proof or its bound, or the proved reason why there is none. */
  public static PlanOutcome plan(PlanProblem problem, SearchSettings settings) {
    return new Planner(problem, settings).plan();
  }

  private PlanOutcome plan() {
    String reason = plainReason();
    if (reason != null) {
      return new Impossible(reason);
    }
    return settings.objective() == Objective.LATENCY ? leastLatency() : leastBottleneck();
  }

  private PlanOutcome leastBottleneck() {
    double lowerSeconds = 0;
    if (vectors.size() <= settings.statesMax()) {
      var exact = new ThroughputSearch(costs, vectors, settings);
      if (exact.run()) {
        return outcome(exact.best, exact.lowerSeconds, true);
      }
      best = exact.best;
      lowerSeconds = exact.lowerSeconds;
    }
    boolean late = settings.outOfTime().getAsBoolean();
    int widthMax = late ? WIDTH_MIN : WIDTH_MAX;
    var ends = new StageEnds(costs);
    weights = LayerWeights.ofTimes(costs);
    var beam = new BeamSearch(costs, late ? settings.withoutLimit() : settings);
    try {
      if (best == null) {
        if (isProvedImpossible(ends)) {
          return outcome(null, lowerSeconds, true);
        }
        ends.limitTo(Double.MAX_VALUE);
        weights.limitTo(ends);
        best = beam.searchWithin(ends, weights, WIDTH_MIN);
      }
      narrow(beam, ends, lowerSeconds, WIDTH_MIN);
      lowerSeconds = provedSeconds(ends, lowerSeconds, WEIGHT_ROUNDS);
      narrow(beam, ends, lowerSeconds, WIDTH_MIN);
      if (!late) {
        lowerSeconds = provedSeconds(ends, lowerSeconds, LAST_WEIGHT_ROUNDS);
      }
      for (int width = 2 * WIDTH_MIN; width <= widthMax; width *= 2) {
        narrow(beam, ends, lowerSeconds, width);
      }
    } catch (OutOfTimeException e) {
      lowerSeconds = provedSeconds(ends, lowerSeconds, WEIGHT_ROUNDS);
    }
    return outcome(best, lowerSeconds, false);
  }

  /** Returns whether a bound proves that there is no plan, however long its stages take. */
  private boolean isProvedImpossible(StageEnds ends) {
    if (new PricedLayers(costs).bound(settings.hostsMax()) == Double.POSITIVE_INFINITY) {
      return true;
    }
    ends.limitTo(Double.MAX_VALUE);
    return LayerWeights.ofMemory(costs)
        .improved(ends, settings.hostsMax(), WEIGHT_ROUNDS)
        .prove(settings.hostsMax());
  }

  /** Takes better plans of the beam, by shares of the way to the bound, until it finds none. */
  private void narrow(BeamSearch beam, StageEnds ends, double lowerSeconds, int width) {
    double share = 0.5;
    while (share > 0.01) {
      double bestSeconds =
          best == null ? Double.MAX_VALUE : costs.bottleneckSeconds(best) * (1 - 1e-9);
      double limit =
          best == null ? bestSeconds : bestSeconds - share * (bestSeconds - lowerSeconds);
      if (limit < lowerSeconds) {
        return;
      }
      ends.limitTo(limit);
      weights.limitTo(ends);
      Split found = beam.searchWithin(ends, weights, width);
      // a best of 0 s is found again, since no limit is below it
      if (found == null
          || (best != null && costs.bottleneckSeconds(found) >= costs.bottleneckSeconds(best))) {
        share /= 2;
      } else {
        best = found;
      }
    }
  }

  /**
   * Returns the largest limit found within which weights prove that there is no plan; the bound
   * known so far if they prove none above it.
   */
  private double provedSeconds(StageEnds ends, double knownSeconds, int rounds) {
    LayerWeights ofTimes = LayerWeights.ofTimes(costs);
    double proved = knownSeconds;
    double open = best == null ? 0 : costs.bottleneckSeconds(best);
    while (open - proved > (settings.outOfTime().getAsBoolean() ? 1e-2 : 1e-4) * open) {
      double limit = proved + (open - proved) / 2;
      ends.limitTo(limit);
      weights = ofTimes.improved(ends, settings.hostsMax(), rounds);
      if (weights.prove(settings.hostsMax())) {
        proved = limit;
      } else {
        open = limit;
      }
    }
    return proved;
  }

  private PlanOutcome leastLatency() {
    double lowerSeconds = 0;
    if (vectors.size() <= settings.statesMax()) {
      var exact = new LatencySearch(costs, vectors, settings);
      if (exact.run()) {
        return outcome(exact.best, exact.lowerSeconds, true);
      }
      lowerSeconds = exact.lowerSeconds;
    }
    if (isProvedImpossible(new StageEnds(costs))) {
      return outcome(null, lowerSeconds, true);
    }
    boolean late = settings.outOfTime().getAsBoolean();
    var beam = new BeamSearch(costs, late ? settings.withoutLimit() : settings);
    var priced = new PricedLayers(costs);
    priced.improve(settings.hostsMax(), PRICE_ROUNDS);
    lowerSeconds = Math.max(lowerSeconds, priced.bound(settings.hostsMax()));
    try {
      for (int width = WIDTH_MIN; width <= (late ? WIDTH_MIN : WIDTH_MAX); width *= 2) {
        Split found = beam.searchLeast(priced, width);
        if (found != null && (best == null || latency(found) < latency(best))) {
          best = found;
        }
      }
    } catch (OutOfTimeException e) {
      // the best so far stands
    }
    return outcome(best, lowerSeconds, false);
  }

  private double latency(Split split) {
    return costs.plan(split).latencySeconds();
  }

  private PlanOutcome outcome(@Nullable Split found, double lowerSeconds, boolean proved) {
    if (found != null) {
      return new Found(costs.plan(found), lowerSeconds, proved, settings.objective());
    }
    return proved ? new Impossible(reasonOfLinks()) : new NotFound();
  }

  /** Returns a reason that needs no search; null if there is none. */
  private @Nullable String plainReason() {
    int held = 0;
    for (int from = 0; from < costs.layers && held >= from; from++) {
      for (int t = 0; t < costs.classes; t++) {
        int to = costs.lastEnd(t, from);
        while (to > held && !costs.fits(t, from, to)) {
          to--;
        }
        held = Math.max(held, to);
      }
    }
    if (held < costs.layers) {
      return "layer (%d) fits nowhere: it needs %s MiB and its buffers, the largest host has %s MiB"
          .formatted(
              held + 1,
              Pricing.mib(problem.layerBytes().get(held)),
              Pricing.mib(Arrays.stream(costs.memoryBytes).max().orElse(0)));
    }
    double neededBytes = costs.layerBytes(0, costs.layers);
    double thereBytes =
        problem.types().stream()
            .flatMap(type -> type.hosts().stream().map(host -> -type.memoryBytes()))
            .sorted()
            .limit(settings.hostsMax())
            .mapToDouble(bytes -> -bytes)
            .sum();
    return Pricing.fits(neededBytes, thereBytes)
        ? null
        : "all layers need %s MiB, and the hosts that may be used have %s MiB together"
            .formatted(Pricing.mib(neededBytes), Pricing.mib(thereBytes));
  }

  /** Returns whether links of bandwidth 0 are why there is no plan, or that no split fits. */
  private String reasonOfLinks() {
    String noSplitFits = "in each split some stage does not fit its host";
    int first = -1;
    for (int t = problem.types().size() - 1; t >= 0; t--) {
      DeviceType type = problem.types().get(t);
      first = type.bitsPerSecond() == 0 && !type.hosts().isEmpty() ? t : first;
    }
    if (first < 0) {
      return noSplitFits;
    }
    List<DeviceType> linked =
        problem.types().stream()
            .map(
                type ->
                    type.bitsPerSecond() > 0
                        ? type
                        : new DeviceType(
                            type.name(), type.hosts(), 1, type.memoryBytes(), type.layerSeconds()))
            .toList();
    return plan(problem.with(linked), settings) instanceof Found
        ? "hosts of type (%s), which are needed, have a bandwidth of 0: no output can pass"
            .formatted(problem.types().get(first).name())
        : noSplitFits;
  }
}
