package dev.sluice.planning.split;

import dev.sluice.planning.split.SearchSettings.Objective;

/** What a search ends with. */
public sealed interface PlanOutcome {
  /**
   * A plan.
   *
   * @param lowerBoundSeconds proved bound: no plan's bottleneck (or latency, by objective) is less
   * @param proved true: the plan is optimal, and the first of all optimal plans by hosts, bytes
   *     sent and (type, last layer) stage by stage; the bound is then the plan's own value
   */
  record Found(Plan plan, double lowerBoundSeconds, boolean proved, Objective objective)
      implements PlanOutcome {
    /** Share by which the plan may exceed the optimum at most; 0 if it is optimal. */
    public double gap() {
      double seconds = plan.seconds(objective);
      // bound and plan may differ in their last bit
      return proved || seconds == 0 ? 0 : Math.max(0, seconds / lowerBoundSeconds - 1);
    }
  }

  /**
   * Proved: no plan exists.
   *
   * @param reason why, as a clause
   */
  record Impossible(String reason) implements PlanOutcome {}

  /** Nothing proved: the search found no plan before its end. */
  record NotFound() implements PlanOutcome {}
}
