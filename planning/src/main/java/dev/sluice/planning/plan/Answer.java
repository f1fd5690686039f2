package dev.sluice.planning.plan;

import dev.sluice.planning.split.Plan;
import dev.sluice.planning.split.Plan.Stage;
import dev.sluice.planning.split.PlanOutcome;
import dev.sluice.planning.split.PlanProblem;
import dev.sluice.planning.split.Pricing.Violation;
import java.util.ArrayList;
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
 * @param violations rules that a given schedule breaks
 */
record Answer(
    PlanProblem problem,
    int batchSize,
    @Nullable PlanOutcome outcome,
    @Nullable Plan plan,
    List<Violation> violations) {
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
      return "proved: there is no plan, since " + words(impossible.reason());
    }
    if (outcome instanceof PlanOutcome.NotFound) {
      return "no plan was found within the limit, and none was proved impossible";
    }
    return violations.isEmpty() ? "the schedule breaks no rule" : "the schedule breaks rules";
  }

  private String words(PlanOutcome.Reason reason) {
    if (reason instanceof PlanOutcome.LayerFitsNowhere nowhere) {
      return "layer (%d) fits nowhere: it needs %s MiB and its buffers, the largest host has %s MiB"
          .formatted(
              nowhere.layer(),
              mib(problem.layerBytes().get(nowhere.layer() - 1)),
              mib(largestHostBytes()));
    }
    if (reason instanceof PlanOutcome.MemoryLacksTogether lack) {
      return "all layers need %s MiB, and the hosts that may be used have %s MiB together"
          .formatted(mib(lack.neededBytes()), mib(lack.thereBytes()));
    }
    if (reason instanceof PlanOutcome.LinkCarriesNothing link) {
      return "hosts of type (%s), which are needed, have a bandwidth of 0: no output can pass"
          .formatted(problem.types().get(link.type()).name());
    }
    return "in each split some stage does not fit its host";
  }

  private double largestHostBytes() {
    return problem.types().stream()
        .filter(type -> !type.hosts().isEmpty())
        .mapToDouble(type -> type.memoryBytes())
        .max()
        .orElse(0);
  }

  /** Rules that the schedule breaks, in words. */
  List<String> faults() {
    List<String> faults = new ArrayList<>();
    for (Violation violation : violations) {
      if (plan != null) {
        Stage stage = plan.stages().get(violation.stage()).stage();
        String name =
            "%s [%d, %d]".formatted(problem.hostOf(stage), stage.firstLayer(), stage.lastLayer());
        faults.add(
            switch (violation.rule()) {
              case MEMORY_EXCEEDED ->
                  "memory exceeded: %s needs %s MiB, and must need less than the %s MiB of its host"
                      .formatted(
                          name,
                          mib(plan.stages().get(violation.stage()).memoryBytes()),
                          mib(problem.types().get(stage.type()).memoryBytes()));
              case HOST_USED_TWICE -> "host used twice: " + name + " has an earlier stage";
              case LINK_CARRIES_NOTHING ->
                  "link carries nothing: a bandwidth of 0 lies behind " + name;
            });
      }
    }
    return faults;
  }

  static String mib(double bytes) {
    return String.format(Locale.ROOT, "%.1f", bytes / (1 << 20));
  }
}
