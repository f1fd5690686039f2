package dev.sluice.planning.plan;

import dev.sluice.planning.split.Plan;
import dev.sluice.planning.split.PlanOutcome;
import dev.sluice.planning.split.PlanProblem;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * An answer to be shown: a plan that was found, a schedule that was priced, or why there is none.
 *
 * @param batchSize samples of a micro-batch
 * @param outcome null: the plan is a given schedule
 * @param plan null: there is none
 * @param violations rules that a given schedule breaks, in words
 */
record Answer(
    PlanProblem problem,
    int batchSize,
    @Nullable PlanOutcome outcome,
    @Nullable Plan plan,
    List<String> violations) {
  /** True if there is a plan that breaks no rule. */
  boolean isLegalPlan() {
    return plan != null && violations.isEmpty();
  }

  /** Samples that leave the pipeline in a second; infinite if nothing takes any time. */
  static double samplesPerSecond(Plan plan, int batchSize) {
    return batchSize / plan.bottleneckSeconds();
  }

  /** Hosts that the plan leaves unused, in their order. */
  List<String> unusedHosts() {
    Set<String> used =
        plan == null
            ? Set.of()
            : plan.stages().stream()
                .map(stage -> problem.hostOf(stage.stage()))
                .collect(Collectors.toSet());
    return problem.types().stream()
        .flatMap(type -> type.hosts().stream())
        .filter(host -> !used.contains(host))
        .toList();
  }

  /** What is known of how good the plan is, or why there is none. */
  String verdict() {
    if (outcome instanceof PlanOutcome.Found found) {
      return found.proved()
          ? "proved optimal"
          : String.format(
              Locale.ROOT, "within %.1f %% of the optimum", Math.ceil(1000 * found.gap()) / 10);
    }
    if (outcome instanceof PlanOutcome.Impossible impossible) {
      return "proved: there is no plan, since " + impossible.reason();
    }
    if (outcome instanceof PlanOutcome.NotFound) {
      return "no plan was found within the limit, and none was proved impossible";
    }
    return violations.isEmpty() ? "the schedule breaks no rule" : "the schedule breaks rules";
  }
}
