package dev.sluice.contract.experiment;

import dev.sluice.contract.experiment.Experiment.Microbatch;
import dev.sluice.contract.experiment.Experiment.Scheduling;
import dev.sluice.contract.experiment.Vocabulary.PolicyWeights;
import dev.sluice.contract.file.Numbers;
import dev.sluice.contract.file.Problems;
import dev.sluice.contract.file.Range;
import dev.sluice.contract.file.Section;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

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
        microbatch(top.section("microbatch")));
  }

  /** The policy's weights that the file gives. */
  private Map<String, Double> weights(Section section, String schedulerName) {
    PolicyWeights policy = vocabulary.schedulers().getOrDefault(schedulerName, PolicyWeights.NONE);
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

  private Microbatch microbatch(Section section) {
    var read =
        new Microbatch(
            section.flag("enabled", true),
            section.number("window_ms", 10, Range.within(0, Ranges.MS_MAX)),
            section.whole("max_batch", 128, 1, Ranges.SAMPLES_MAX),
            section.namesOf(
                "policies",
                List.of("batch_aware", "dynamic"),
                vocabulary.schedulers().keySet(),
                "schedulers"),
            section.flag("respect_deadlines", false));
    section.end();
    return read;
  }
}
