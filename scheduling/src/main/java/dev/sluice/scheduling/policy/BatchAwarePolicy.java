package dev.sluice.scheduling.policy;

import static dev.sluice.scheduling.policy.Choice.start;

import dev.sluice.scheduling.policy.SchedulerState.Group;
import dev.sluice.scheduling.policy.SchedulerState.Job;
import dev.sluice.scheduling.policy.SchedulerState.Lane;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The most batchable job first: each attribute's weight times how many other waiting jobs share it,
 * plus a bonus for its kind of class. Ties by {@link JobOrder#DEADLINE}. Passes over what cannot
 * start.
 */
final class BatchAwarePolicy implements SchedulingPolicy {
  /** Per other waiting job of the same workload, backend, precision, class; then the bonuses. */
  static final List<Weight> WEIGHTS =
      List.of(
          new Weight("workload", 0.4),
          new Weight("backend", 0.3),
          new Weight("precision", 0.2),
          new Weight("class", 0.1),
          new Weight("interactive", 1.0),
          new Weight("not_interactive", 0.5));

  private final double workload;
  private final double backend;
  private final double precision;
  private final double jobClass;
  private final double interactive;
  private final double notInteractive;

  BatchAwarePolicy(Map<String, Double> weights) {
    workload = Weight.in(weights, "workload");
    backend = Weight.in(weights, "backend");
    precision = Weight.in(weights, "precision");
    jobClass = Weight.in(weights, "class");
    interactive = Weight.in(weights, "interactive");
    notInteractive = Weight.in(weights, "not_interactive");
  }

  @Override
  public Needs needs() {
    return new Needs(Set.of(JobOrder.DEADLINE), true, false);
  }

  @Override
  public Choice choose(SchedulerState state) {
    if (!state.hasIdleLane()) {
      return state.nothingStartable();
    }
    @Nullable Job best = null;
    @Nullable Lane bestLane = null;
    double bestScore = Double.NEGATIVE_INFINITY;
    for (Group group : state.groups()) {
      double score = score(group);
      Job head = group.first(JobOrder.DEADLINE);
      if (best == null
          || score > bestScore
          || (score == bestScore && JobOrder.DEADLINE.compare(head, best) < 0)) {
        Lane lane = state.laneFor(group);
        if (lane != null) {
          best = head;
          bestLane = lane;
          bestScore = score;
        }
      }
    }
    if (best == null || bestLane == null) {
      return state.nothingStartable();
    }
    // within a set all score the same, so that its order is that of the ties
    return start(best.group().set().fill(best, bestLane, JobOrder.DEADLINE), List.of(bestLane))
        .because(terms(best.group()));
  }

  private double score(Group group) {
    return workload * (group.waitingWithWorkload() - 1)
        + backend * (group.waitingWithBackend() - 1)
        + precision * (group.waitingWithPrecision() - 1)
        + jobClass * (group.waitingWithClass() - 1)
        + bonus(group);
  }

  private double bonus(Group group) {
    return group.jobClass().interactive() ? interactive : notInteractive;
  }

  private Map<String, Double> terms(Group group) {
    Map<String, Double> terms = new LinkedHashMap<>();
    terms.put("workload", workload * (group.waitingWithWorkload() - 1));
    terms.put("backend", backend * (group.waitingWithBackend() - 1));
    terms.put("precision", precision * (group.waitingWithPrecision() - 1));
    terms.put("class", jobClass * (group.waitingWithClass() - 1));
    terms.put("bonus", bonus(group));
    return terms;
  }
}
