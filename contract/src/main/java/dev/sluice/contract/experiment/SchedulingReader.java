package dev.sluice.contract.experiment;

import dev.sluice.contract.experiment.Experiment.Limits;
import dev.sluice.contract.experiment.Experiment.Microbatch;
import dev.sluice.contract.experiment.Experiment.Scheduling;
import dev.sluice.contract.experiment.Vocabulary.PolicyWeights;
import dev.sluice.contract.file.Numbers;
import dev.sluice.contract.file.Problems;
import dev.sluice.contract.file.Range;
import dev.sluice.contract.file.Section;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/** The keys of the policy, of admission and of micro-batches. */
final class SchedulingReader {
  private static final List<String> ADMISSIONS = List.of("none", "expired", "hopeless");

  private final Problems problems;
  private final Vocabulary vocabulary;

  SchedulingReader(Problems problems, Vocabulary vocabulary) {
    this.problems = problems;
    this.vocabulary = vocabulary;
  }

  Scheduling read(Section top) {
    Set<String> schedulers = vocabulary.schedulers().keySet();
    String schedulerName = top.oneOf("scheduler_name", "fifo", schedulers, "schedulers");
    return new Scheduling(
        schedulerName,
        weights(top.section("scheduler"), schedulerName),
        top.oneOf("admission", "none", ADMISSIONS, "admissions"),
        top.wholeOrNone("max_waiting", 1, Ranges.WAITING_MAX),
        top.numberOrNone("expire_after_ms", Range.within(1e-6, Ranges.MS_MAX)),
        microbatch(top.section("microbatch"), schedulerName),
        policy(schedulerName).decides());
  }

  private PolicyWeights policy(String schedulerName) {
    return vocabulary.schedulers().getOrDefault(schedulerName, PolicyWeights.NONE);
  }

  /** The policy's weights that the file gives. */
  private Map<String, Double> weights(Section section, String schedulerName) {
    PolicyWeights policy = policy(schedulerName);
    Map<String, Double> weights = new LinkedHashMap<>();
    boolean whole = true;
    for (PolicyWeights.Weight weight : policy.weights()) {
      String key = weight.name();
      double value =
          section.number(
              key,
              Double.NaN,
              weight.range(),
              "the line should be left out, for its default, "
                  + Numbers.text(weight.defaultValue()));
      if (section.has(key)) {
        weights.put(key, value);
        whole &= !Double.isNaN(value);
      }
    }
    if (whole) {
      policy
          .rule()
          .apply(weights)
          .ifPresent(
              mistake ->
                  problems.error(
                      section.place(mistake.weight()),
                      section.name(mistake.what()),
                      mistake.maybe()));
    }
    section.end();
    return weights;
  }

  /** A policy that joins jobs at times of its own choice has no window, and always joins. */
  private Microbatch microbatch(Section section, String schedulerName) {
    boolean joins = policy(schedulerName).decides().contains("joining");
    boolean enabled = section.flag("enabled", true);
    double windowMs = section.number("window_ms", 10, Range.within(0, Ranges.MS_MAX));
    int maxBatch = section.whole("max_batch", 128, 1, Ranges.SAMPLES_MAX);
    List<String> policies =
        section.namesOf(
            "policies",
            List.of("batch_aware", "dynamic"),
            vocabulary.schedulers().keySet(),
            "schedulers");
    boolean respectDeadlines = section.flag("respect_deadlines", false);
    Map<String, Limits> limits = limits(section.section("models"));
    section.end();
    return joins
        ? new Microbatch(enabled, 0, maxBatch, with(policies, schedulerName), false, limits)
        : new Microbatch(enabled, windowMs, maxBatch, policies, respectDeadlines, limits);
  }

  private static List<String> with(List<String> policies, String schedulerName) {
    Set<String> all = new LinkedHashSet<>(policies);
    all.add(schedulerName);
    return List.copyOf(all);
  }

  private static Map<String, Limits> limits(Section section) {
    Map<String, Limits> limits = new TreeMap<>();
    for (String model : section.keys()) {
      Section one = section.chosen(model, ClassReader.NAME, List.of());
      int most = one.requiredWhole("max_batch", 1, Ranges.SAMPLES_MAX, "16");
      limits.put(
          model, new Limits(most, one.wholes("preferred", List.of(), 1, Math.max(1, most), false)));
      one.end();
    }
    return limits;
  }
}
