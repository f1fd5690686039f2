package dev.sluice.contract.experiment;

import dev.sluice.contract.experiment.Experiment.JobClass;
import dev.sluice.contract.experiment.Experiment.WorkloadChoice;
import dev.sluice.contract.file.Numbers;
import dev.sluice.contract.file.Place;
import dev.sluice.contract.file.Problems;
import dev.sluice.contract.file.Section;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;

/**
 * Rules between parts of an experiment, each of which is read without a mistake of its own.
 *
 * @param places places of the keys that the file gives, by dotted name
 */
record CrossChecks(Problems problems, Map<String, Place> places, Section top, Experiment e) {
  /** Checks the rules; all but that of the mix only if the file has no mistake so far. */
  void check() {
    checkMix();
    if (problems.isEmpty()) {
      checkLimits();
      checkEngines();
      checkOwnModels();
      checkMemoryBudgets();
      checkScales();
      checkTokens();
    }
  }

  private void checkMix() {
    double ratio = e.jobs().interactiveRatio();
    boolean interactive = e.jobs().classes().stream().anyMatch(JobClass::interactive);
    boolean other = e.jobs().classes().stream().anyMatch(c -> !c.interactive());
    if ((ratio > 0 && !interactive) || (ratio < 1 && !other)) {
      top.error(
          top.has("interactive_ratio") ? "interactive_ratio" : "classes",
          "interactive_ratio (%s) needs a class that is %s, and there is none"
              .formatted(Numbers.text(ratio), interactive ? "not interactive" : "interactive"),
          "it should be " + (interactive ? 1 : 0));
    }
  }

  private void checkLimits() {
    List<String> names = e.jobs().workloads().stream().map(WorkloadChoice::name).toList();
    for (String model : e.scheduling().microbatch().models().keySet()) {
      if (!names.contains(model)) {
        problems.error(
            place("microbatch.models." + model + ".max_batch", "microbatch"),
            "microbatch.models limits (%s), which is no workload of this experiment"
                .formatted(model),
            "one of %s was meant".formatted(String.join(", ", names)));
      }
    }
  }

  /** The place of a key if the file gives it, else that of a key at its top. */
  private Place place(String dottedKey, String otherwise) {
    return places.getOrDefault(dottedKey, top.place(otherwise));
  }

  private void checkEngines() {
    List<String> unknown = new ArrayList<>(e.jobs().backendsEnabled());
    unknown.removeAll(ExperimentReader.ENGINES);
    if (!e.lanes().emulated() && !unknown.isEmpty()) {
      top.error(
          "backends_enabled",
          "backends_enabled (%s) works on emulated lanes only, and these lanes are real"
              .formatted(String.join(", ", unknown)),
          "you meant %s, or lanes.kind: emulated"
              .formatted(String.join(" or ", ExperimentReader.ENGINES)));
    }
  }

  private void checkOwnModels() {
    for (WorkloadChoice workload : e.jobs().workloads()) {
      var model = workload.model();
      if (model == null || e.lanes().emulated()) {
        continue;
      }
      if (!e.jobs().backendsEnabled().equals(List.of(model.backend()))) {
        problems.error(
            top.has("backends_enabled")
                ? top.place("backends_enabled")
                : place("workloads." + workload.name(), "backends_enabled"),
            "backends_enabled (%s) would send jobs to a backend that cannot run %s (%s)"
                .formatted(
                    String.join(", ", e.jobs().backendsEnabled()), workload.name(), model.path()),
            "you meant backends_enabled: [" + model.backend() + "]");
      }
      if (!e.jobs().precisionModes().equals(List.of("fp32"))) {
        top.error(
            "precision_modes",
            "precision_modes (%s) cannot change %s (%s): your own model file runs as it is"
                .formatted(
                    String.join(", ", e.jobs().precisionModes()), workload.name(), model.path()),
            "precision_modes should be [fp32], whatever precision the file computes in");
      }
    }
  }

  private void checkMemoryBudgets() {
    for (WorkloadChoice workload : e.jobs().workloads()) {
      if (workload.memoryBudget() == null) {
        continue;
      }
      String name = workload.name();
      Place entry = place("workloads." + name, "workloads");
      checkOnly(entry, name, "backends_enabled", e.jobs().backendsEnabled(), "pytorch");
      checkOnly(entry, name, "precision_modes", e.jobs().precisionModes(), "fp32");
      if (e.lanes().device().startsWith("cuda")) {
        problems.error(
            places.getOrDefault("lanes.device", entry),
            "lanes.device (%s) cannot run %s, whose memory_budget is for processors"
                .formatted(e.lanes().device(), name),
            "you meant lanes.device: cpu");
      }
    }
  }

  private void checkOnly(
      Place entry, String workload, String key, List<String> given, String only) {
    if (!given.equals(List.of(only))) {
      problems.error(
          top.has(key) ? top.place(key) : entry,
          "%s (%s) cannot run %s, whose memory_budget works with %s alone"
              .formatted(key, String.join(", ", given), workload, only),
          "you meant %s: [%s], or memory_budget should be left out".formatted(key, only));
    }
  }

  /** Checks that a class with a multiple of the isolated time has a source of that time. */
  private void checkScales() {
    List<String> unknown =
        e.jobs().workloads().stream()
            .filter(w -> w.linear() == null)
            .map(WorkloadChoice::name)
            .toList();
    if (e.lanes().latencyTable() != null || unknown.isEmpty()) {
      return;
    }
    for (JobClass jobClass : e.jobs().classes()) {
      if (jobClass.sloScale() != null) {
        String key = "classes." + jobClass.name() + ".slo_scale";
        problems.error(
            place(key, "classes"),
            "%s (%s) needs the time that %s takes alone, and lanes.latency_table is missing"
                .formatted(key, Numbers.text(jobClass.sloScale()), String.join(", ", unknown)),
            "lanes.latency_table should name a table, or slo_ms is meant");
      }
    }
  }

  /** Checks that each job fits the memory budget: a job that can never fit would never run. */
  private void checkTokens() {
    if (!e.resources().enabled() || e.resources().cpuFallback()) {
      return;
    }
    int samples = Collections.max(e.jobs().batchSizes());
    boolean fp32 = e.jobs().precisionModes().contains("fp32");
    String precision = fp32 ? "fp32" : e.jobs().precisionModes().get(0);
    for (WorkloadChoice workload : e.jobs().workloads()) {
      long tokens = Experiment.tokens(workload.tokens(), precision, samples);
      if (tokens > e.resources().totalTokens()) {
        problems.error(
            places.getOrDefault("resources.total_tokens", place("batch_sizes", "workloads")),
            "a job of %s with %s sample%s%s costs %s tokens, more than resources.total_tokens (%s)"
                .formatted(
                    workload.name(),
                    samples,
                    samples == 1 ? "" : "s",
                    fp32 ? "" : " in " + precision,
                    tokens,
                    e.resources().totalTokens()),
            "batch_sizes should stop at a smaller size, resources.total_tokens should be at least "
                + tokens
                + ", or resources.cpu_fallback: true lets it run alone outside the budget");
      }
    }
  }
}
