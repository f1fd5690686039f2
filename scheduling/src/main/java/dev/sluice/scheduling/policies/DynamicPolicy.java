package dev.sluice.scheduling.policies;

import static dev.sluice.scheduling.policy.Choice.start;

import dev.sluice.scheduling.policy.Choice;
import dev.sluice.scheduling.policy.JobClass;
import dev.sluice.scheduling.policy.JobOrder;
import dev.sluice.scheduling.policy.SchedulerState;
import dev.sluice.scheduling.policy.SchedulerState.CompatibleSet;
import dev.sluice.scheduling.policy.SchedulerState.Group;
import dev.sluice.scheduling.policy.SchedulerState.Job;
import dev.sluice.scheduling.policy.SchedulerState.Lane;
import dev.sluice.scheduling.policy.SchedulingPolicy;
import dev.sluice.scheduling.policy.Weight;
import dev.sluice.scheduling.policy.Weight.Mistake;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The highest sum of five terms first: interactivity, urgency, batchability, short predicted
 * service, few tokens. Ties by {@link JobOrder#DEADLINE}. Passes over what cannot start. At its
 * default weights it is nearly shortest-job-first.
 */
final class DynamicPolicy implements SchedulingPolicy {
  /**
   * interactive: if the class is; urgency: × 1 / (ms to the deadline + 1); overdue: in its place
   * once the deadline is past; batchability: × min(compatible others / 5, 1); short_service: / the
   * predicted seconds, at least 1 ms; tokens: × tokens / 1000, subtracted.
   */
  static final List<Weight> WEIGHTS =
      List.of(
          new Weight("interactive", 10),
          new Weight("urgency", 1),
          new Weight("overdue", 10),
          new Weight("batchability", 5),
          new Weight("short_service", 2),
          new Weight("tokens", 0.1));

  private static final double NS_PER_MS = 1e6;
  private static final double NS_PER_SECOND = 1e9;
  private static final double SERVICE_SECONDS_MIN = 0.001;
  private static final double OTHERS_THAT_COUNT = 5;

  private final double interactive;
  private final double urgency;
  private final double overdue;
  private final double batchability;
  private final double shortService;
  private final double tokens;

  DynamicPolicy(Map<String, Double> weights) {
    interactive = Weight.in(weights, "interactive");
    urgency = Weight.in(weights, "urgency");
    overdue = Weight.in(weights, "overdue");
    batchability = Weight.in(weights, "batchability");
    shortService = Weight.in(weights, "short_service");
    tokens = Weight.in(weights, "tokens");
  }

  /**
   * Finds what is wrong with the weights together. The policy reads only the job of each group with
   * the earliest deadline, which scores highest in its group only if an overdue job is worth no
   * less than one that is nearly due.
   */
  static Optional<Mistake> mistakeIn(Map<String, Double> weights) {
    double urgency = Weight.in(weights, "urgency");
    double overdue = Weight.in(weights, "overdue");
    return overdue >= urgency
        ? Optional.empty()
        : Optional.of(
            new Mistake(
                "overdue",
                "overdue (%s) must be at least urgency (%s): dynamic starts a group's earliest deadline first"
                    .formatted(Weight.plain(overdue), Weight.plain(urgency)),
                "urgency should be at most " + Weight.plain(overdue)));
  }

  @Override
  public Needs needs() {
    return Needs.of(JobOrder.DEADLINE, Need.DEADLINES, Need.ESTIMATES, Need.RESERVATIONS);
  }

  @Override
  public boolean isWorkConserving() {
    return true;
  }

  @Override
  public Choice choose(SchedulerState state) {
    HighestScore best =
        HighestScore.ofHeads(
            state,
            set -> scoreMax(state, set),
            (group, deadlineNs, lane) -> score(state, group, deadlineNs, lane));
    if (best == null) {
      return state.nothingStartable();
    }
    CompatibleSet set = best.job().group().set();
    return start(
            set.fill(
                best.job(),
                best.lane(),
                (job, lane) -> score(state, job.group(), job.deadlineNs(), lane)),
            state.lanesFrom(best.lane(), best.job().group()))
        .because(scoreTerms(state, best.job(), best.lane()));
  }

  private double score(SchedulerState state, Group group, long deadlineNs, Lane lane) {
    return interactiveTerm(group.jobClass())
        + urgencyTerm(deadlineNs - state.nowNs())
        + batchabilityTerm(group.set())
        + shortServiceTerm(state.predictedNs(group, group.samples(), lane))
        - tokensTerm(group.tokens());
  }

  /**
   * Returns the sum of the largest value of each term; rounding keeps the order of equal sums of
   * terms.
   */
  private double scoreMax(SchedulerState state, CompatibleSet set) {
    long leftNs = set.firstKey(JobOrder.DEADLINE) - state.nowNs();
    return interactiveTerm(set.jobClass())
        + urgencyTerm(leftNs) // falls with the deadline, for overdue is at least urgency
        + batchabilityTerm(set)
        + shortServiceTerm(set.predictedNsMin())
        - tokensTerm(set.tokensMin());
  }

  @Override
  public Map<String, Double> scoreTerms(SchedulerState state, Job job, Lane lane) {

    Group group = job.group();
    Map<String, Double> terms = new LinkedHashMap<>();
    terms.put("interactive", interactiveTerm(group.jobClass()));
    terms.put("urgency", urgencyTerm(job.deadlineNs() - state.nowNs()));
    terms.put("batchability", batchabilityTerm(group.set()));
    terms.put("short_service", shortServiceTerm(state.predictedNs(group, group.samples(), lane)));
    terms.put("tokens", -tokensTerm(group.tokens()));
    return terms;
  }

  private double interactiveTerm(JobClass jobClass) {
    return jobClass.interactive() ? interactive : 0;
  }

  private double urgencyTerm(long leftNs) {
    return leftNs < 0 ? overdue : urgency / (leftNs / NS_PER_MS + 1);
  }

  private double batchabilityTerm(CompatibleSet set) {
    int others = set.waiting() - 1;
    return others >= OTHERS_THAT_COUNT ? batchability : batchability * (others / OTHERS_THAT_COUNT);
  }

  private double shortServiceTerm(long predictedNs) {
    return shortService / Math.max(predictedNs / NS_PER_SECOND, SERVICE_SECONDS_MIN);
  }

  private double tokensTerm(long jobTokens) {
    return tokens * jobTokens / 1000;
  }
}
