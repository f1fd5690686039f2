package dev.sluice.contract.experiment;

import dev.sluice.contract.experiment.Experiment.Microbatch;
import dev.sluice.contract.experiment.Experiment.Scheduling;
import dev.sluice.contract.file.Range;
import dev.sluice.contract.file.Section;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** The keys of the policy, of admission and of micro-batches. */
final class SchedulingReader {
  private static final List<String> ADMISSIONS = List.of("none", "expired", "hopeless");

  private final Vocabulary vocabulary;

  SchedulingReader(Vocabulary vocabulary) {
    this.vocabulary = vocabulary;
  }

  Scheduling read(Section top) {
    Set<String> schedulers = vocabulary.schedulers().keySet();
    String schedulerName = top.oneOf("scheduler_name", "fifo", schedulers, "schedulers");
    return new Scheduling(
        schedulerName,
        weights(top.section("scheduler"), schedulerName),
        top.oneOf("admission", "none", ADMISSIONS, "admissions"),
        top.wholeOrNone("max_waiting", 1, Ranges.JOBS_MAX),
        top.numberOrNone("expire_after_ms", Range.above(0, Ranges.MS_MAX)),
        microbatch(top.section("microbatch")));
  }

  /** The policy's weights; nothing is said of them while the policy itself is unknown. */
  private Map<String, Double> weights(Section section, String schedulerName) {
    Map<String, Double> weights = new LinkedHashMap<>();
    for (String weight : vocabulary.schedulers().getOrDefault(schedulerName, List.of())) {
      double value = section.number(weight, Double.NaN, Range.within(-1e9, 1e9));
      if (section.has(weight)) {
        weights.put(weight, value);
      }
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
