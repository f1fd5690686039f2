package dev.sluice.executor.dispatch;

import dev.sluice.contract.experiment.Arrivals;
import dev.sluice.contract.experiment.Experiment;
import dev.sluice.contract.experiment.ParsedExperiment;
import dev.sluice.contract.file.UserMistakeException;
import dev.sluice.contract.file.UserMistakeException.Problem;
import dev.sluice.contract.value.ModelKey;
import dev.sluice.executor.emulation.LatencyTable;
import dev.sluice.executor.lane.ExecutorSettings;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.NavigableSet;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * The samples counts of an experiment beside those of a published latency table. Between two
 * measured counts a time is interpolated, and outputs say so; beyond them the experiment is
 * refused.
 */
public final class MeasuredSizes {
  private MeasuredSizes() {}

  /**
   * Checks that no batch can have fewer or more samples than a published table has times for.
   *
   * @throws UserMistakeException if a batch can, at the key that lets it
   */
  static void check(ParsedExperiment parsed, LatencyTable table) throws UserMistakeException {
    Experiment experiment = parsed.experiment();
    List<Problem> problems = new ArrayList<>();
    for (ModelKey model : publishedModels(experiment, table)) {
      NavigableSet<Integer> measured = table.samples(model);
      NavigableSet<Integer> asked = ExecutorSettings.reachableSamples(experiment, model.workload());
      if (asked.first() < measured.first() || asked.last() > measured.last()) {
        boolean byJobs =
            asked.first() < measured.first()
                || experiment.jobs().batchSizes().stream().anyMatch(s -> s > measured.last());
        String key = byJobs ? "batch_sizes" : "microbatch.max_batch";
        String limited = "microbatch.models." + model.workload() + ".max_batch";
        problems.add(
            new Problem(
                parsed.location(parsed.locations().containsKey(limited) && !byJobs ? limited : key),
                "a batch of (%s) may have %d to %d samples, and %s has measured times of %d to %d"
                    .formatted(
                        model,
                        asked.first(),
                        asked.last(),
                        table.file(),
                        measured.first(),
                        measured.last()),
                byJobs
                    ? "batch_sizes should stay within them"
                    : "you meant microbatch: {models: {%s: {max_batch: %d}}}"
                        .formatted(model.workload(), measured.last())));
      }
    }
    if (!problems.isEmpty()) {
      throw new UserMistakeException(problems);
    }
  }

  /** Returns lines that name the measured samples counts of models that may run with others. */
  public static List<String> notes(Experiment experiment, LatencyTable table) {
    Set<String> notes = new LinkedHashSet<>();
    for (ModelKey model : publishedModels(experiment, table)) {
      NavigableSet<Integer> measured = table.samples(model);
      if (!measured.containsAll(ExecutorSettings.reachableSamples(experiment, model.workload()))) {
        notes.add(
            "%s was measured with %s samples; times between them are interpolated"
                .formatted(
                    model.workload(),
                    measured.stream().map(String::valueOf).collect(Collectors.joining(", "))));
      }
    }
    if (table.isPublished() && experiment.load().arrivals() instanceof Arrivals.Replayed) {
      notes.add("replayed requests of more samples than were measured take times in proportion");
    }
    return List.copyOf(notes);
  }

  private static List<ModelKey> publishedModels(Experiment experiment, LatencyTable table) {
    return ExecutorSettings.models(experiment).stream()
        .filter(model -> table.isPublished() && table.holds(model))
        .filter(model -> experiment.workload(model.workload()).linear() == null)
        .toList();
  }
}
