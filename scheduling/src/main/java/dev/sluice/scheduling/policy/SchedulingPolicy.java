package dev.sluice.scheduling.policy;

import java.util.Map;
import java.util.Set;

/** Chooses what happens next. It chooses only; the caller checks, starts, waits and records. */
public interface SchedulingPolicy {
  /**
   * Returns one batch to start and where, or nothing, or nothing until a time, with the cause.
   * Asked after every fact while a job waits and a lane takes a batch, and again after each start
   * until it has nothing. Equal states must give equal answers; the caller checks each answer and
   * names the broken rule.
   */
  Choice choose(SchedulerState state);

  /**
   * Returns the terms of the score of a waiting job that may start on a lane: of such jobs the one
   * whose terms have the highest sum starts first. For inspection; no decision reads it. Empty: the
   * policy orders jobs by no score.
   */
  default Map<String, Double> scoreTerms(
      SchedulerState state, SchedulerState.Job job, SchedulerState.Lane lane) {
    return Map.of();
  }

  /** Returns what this policy reads. The state keeps no order that no policy declares. */
  Needs needs();

  /**
   * Returns whether this policy is work-conserving: no lane stays idle while a waiting job could
   * start on it. Tests hold each policy that says so to it. Default: it promises nothing, and may
   * keep a lane idle by its own choice.
   */
  default boolean isWorkConserving() {
    return false;
  }

  /**
   * The inputs that a policy reads; a run that lacks one of them is refused before it starts.
   *
   * @param orders orders in which it reads the waiting jobs; batches may be filled by ENTRY without
   *     declaring it
   * @param deadlines whether every job must have a latency promise
   * @param estimates whether it reads predicted service times
   * @param reservations whether tokens are kept for jobs that it passes over for too long
   */
  record Needs(Set<JobOrder> orders, boolean deadlines, boolean estimates, boolean reservations) {
    public Needs {
      orders = Set.copyOf(orders);
    }
  }
}
