package dev.sluice.scheduling.planning;

import dev.sluice.scheduling.planning.PlanOutcome.Found;
import dev.sluice.scheduling.planning.PlanOutcome.Impossible;
import dev.sluice.scheduling.planning.PlanOutcome.LayerFitsNowhere;
import dev.sluice.scheduling.planning.PlanOutcome.LinkCarriesNothing;
import dev.sluice.scheduling.planning.PlanOutcome.MemoryLacksTogether;
import dev.sluice.scheduling.planning.PlanOutcome.NoSplitFits;
import dev.sluice.scheduling.planning.PlanOutcome.NotFound;
import dev.sluice.scheduling.planning.PlanOutcome.Reason;
import dev.sluice.scheduling.planning.StageCosts.Split;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Finds the best plan, and proves it where the count vectors are few enough. */
public final class Planner {
  private final PlanProblem problem;
  private final SearchSettings settings;
  private final StageCosts costs;
  private final CountVectors vectors;

  private Planner(PlanProblem problem, SearchSettings settings) {
    this.problem = problem;
    this.settings = settings;
    costs = new StageCosts(problem, settings.hostsMax());
    vectors = new CountVectors(costs.capacity);
  }

  /**
   * Searches the best plan.
   *
   * @return the best plan with its proof or its bound; or the proved reason why there is none
   */
  public static PlanOutcome plan(PlanProblem problem, SearchSettings settings) {
    return new Planner(problem, settings).plan();
  }

  private PlanOutcome plan() {
    Reason reason = plainReason();
    if (reason != null) {
      return new Impossible(reason);
    }
    if (settings.objective() == Objective.LATENCY) {
      LatencySearch search = new LatencySearch(costs, vectors, settings);
      search.run();
      return outcome(search.best(), search.lowerSeconds(), search.proved());
    }
    ThroughputSearch search = new ThroughputSearch(costs, vectors, settings);
    search.run();
    return outcome(search.best(), search.lowerSeconds(), search.proved());
  }

  private PlanOutcome outcome(@Nullable Split best, double lowerSeconds, boolean proved) {
    if (best != null) {
      return new Found(costs.plan(best), lowerSeconds, proved, settings.objective());
    }
    return proved ? new Impossible(reasonOfLinks()) : new NotFound();
  }

  /** Returns a reason that needs no search; null if there is none. */
  private @Nullable Reason plainReason() {
    int held = 0;
    for (int from = 0; from < costs.layers && held >= from; from++) {
      for (int t = 0; t < costs.classes; t++) {
        long[] fitting = costs.fitting(t, from);
        int word = fitting.length - 1;
        while (word >= 0 && fitting[word] == 0) {
          word--;
        }
        if (word >= 0) {
          int bit = 63 - Long.numberOfLeadingZeros(fitting[word]);
          held = Math.max(held, ((word + (from >> 6)) << 6) + bit);
        }
      }
    }
    if (held < costs.layers) {
      return new LayerFitsNowhere(held + 1);
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
        : new MemoryLacksTogether(neededBytes, thereBytes);
  }

  /** Returns whether links of bandwidth 0 are why there is no plan, or that no split fits. */
  private Reason reasonOfLinks() {
    int first = -1;
    for (int t = problem.types().size() - 1; t >= 0; t--) {
      DeviceType type = problem.types().get(t);
      first = type.bitsPerSecond() == 0 && !type.hosts().isEmpty() ? t : first;
    }
    if (first < 0) {
      return new NoSplitFits();
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
    var with =
        new PlanProblem(
            problem.layerBytes(),
            problem.cutBytes(),
            problem.buffersIn(),
            problem.buffersOut(),
            linked);
    boolean found = !(plan(with, settings) instanceof Impossible);
    return found ? new LinkCarriesNothing(first) : new NoSplitFits();
  }
}
