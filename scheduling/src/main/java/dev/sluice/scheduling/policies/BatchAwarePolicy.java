package dev.sluice.scheduling.policies;

import dev.sluice.scheduling.policy.Choice;
import dev.sluice.scheduling.policy.JobOrder;
import dev.sluice.scheduling.policy.SchedulerState;
import dev.sluice.scheduling.policy.SchedulerState.Attribute;
import dev.sluice.scheduling.policy.SchedulerState.CompatibleSet;
import dev.sluice.scheduling.policy.SchedulerState.Job;
import dev.sluice.scheduling.policy.SchedulerState.Lane;
import dev.sluice.scheduling.policy.SchedulingPolicy;
import dev.sluice.scheduling.policy.Weight;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The most batchable job first: each attribute's weight times how many other waiting jobs share it,
 * plus a bonus for its kind of class. Ties by {@link JobOrder#DEADLINE}. Passes over what cannot
 * start.
 */
final class BatchAwarePolicy implements SchedulingPolicy {
  /** Weights of each other waiting job of equal workload, backend, precision, class; bonuses. */
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
    return Needs.of(JobOrder.DEADLINE, Need.DEADLINES, Need.RESERVATIONS);
  }

  @Override
  public boolean isWorkConserving() {
    return true;
  }

  @Override
  public Choice choose(SchedulerState state) {
    HighestScore best = HighestScore.ofSets(state, this::score);
    if (best == null) {
      return state.nothingStartable();
    }

    // all jobs of a set have equal scores, so that its order is that of the ties
    return Queues.start(state, best.job(), best.lane(), JobOrder.DEADLINE)
        .because(scoreTerms(state, best.job(), best.lane()));
  }

  /** Returns the score, which is equal for all jobs of a set. */
  private double score(CompatibleSet set) {
    return workload * (set.waitingWith(Attribute.WORKLOAD) - 1)
        + backend * (set.waitingWith(Attribute.BACKEND) - 1)
        + precision * (set.waitingWith(Attribute.PRECISION) - 1)
        + jobClass * (set.waitingWith(Attribute.CLASS) - 1)
        + bonus(set);
  }

  private double bonus(CompatibleSet set) {
    return set.jobClass().interactive() ? interactive : notInteractive;
  }

  @Override
  public Map<String, Double> scoreTerms(SchedulerState state, Job job, Lane lane) {
    CompatibleSet set = job.group().set();
    Map<String, Double> terms = new LinkedHashMap<>();
    terms.put("workload", workload * (set.waitingWith(Attribute.WORKLOAD) - 1));
    terms.put("backend", backend * (set.waitingWith(Attribute.BACKEND) - 1));
    terms.put("precision", precision * (set.waitingWith(Attribute.PRECISION) - 1));
    terms.put("class", jobClass * (set.waitingWith(Attribute.CLASS) - 1));
    terms.put("bonus", bonus(set));
    return terms;
  }
}
