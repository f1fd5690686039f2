package dev.sluice.scheduling.planning;

/** Finds the best plan, and proves it where the count vectors are few enough. */
public final class Planner {
  private Planner() {}

  /**
   * Searches the best plan.
   *
   * @return the best plan with its proof or its bound; or the proved reason why there is none
   */
  public static PlanOutcome plan(PlanProblem problem, SearchSettings settings) {
    throw new UnsupportedOperationException();
  }
}
