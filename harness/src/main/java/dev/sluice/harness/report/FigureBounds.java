package dev.sluice.harness.report;

import dev.sluice.analytics.compare.ComparedRun;
import dev.sluice.analytics.row.FinishedRun;
import dev.sluice.contract.experiment.ExperimentFile;
import dev.sluice.contract.experiment.ParsedExperiment;
import dev.sluice.contract.file.UserMistakeException;
import dev.sluice.harness.frame.Registries;
import dev.sluice.harness.simulate.ExperimentBound;
import dev.sluice.harness.simulate.ExperimentBound.Good;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Figures of finished runs that no scheduler is better than, by name: of all jobs and of classes.
 */
public final class FigureBounds {
  private FigureBounds() {}

  /** Returns a run's bounds; lanes that took other times than the experiment names are refused. */
  public static Map<String, Double> of(FinishedRun run) throws UserMistakeException {
    ParsedExperiment parsed = ExperimentFile.read(run.config(), List.of(), Registries.vocabulary());
    ExperimentBound bound = bound(run, parsed);
    Set<String> scopes = new LinkedHashSet<>(List.of("all"));
    bound.requests().kinds().forEach(kind -> scopes.add(kind.classType()));
    Map<String, Double> bounds = new HashMap<>();
    for (String scope : scopes) {
      Good good = bound.good(kind -> scope.equals("all") || kind.classType().equals(scope), null);
      double seconds = parsed.experiment().load().measuredSeconds();
      bounds.put(scope + "_goodput_jobs_sec", good.goodMax() / seconds);
      bounds.put(scope + "_slo_violation_rate", 1 - good.share());
    }
    return bounds;
  }

  static Map<String, Double> meansOf(List<ComparedRun> runs) throws UserMistakeException {
    Map<String, Double> means = new HashMap<>();
    for (ComparedRun compared : runs) {
      of(compared.run())
          .forEach((name, bound) -> means.merge(name, bound / runs.size(), Double::sum));
    }
    return means;
  }

  private static ExperimentBound bound(FinishedRun run, ParsedExperiment parsed)
      throws UserMistakeException {
    if (!run.isSimulated() && !parsed.experiment().lanes().emulated()) {
      throw new UserMistakeException(
          run.folder().toString(),
          "a bound needs the times of all batches, and this run's lanes were real",
          "you want ./sluice bound with --profile, which takes them from the run");
    }
    ExperimentBound bound = ExperimentBound.of(parsed, null);
    if (run.isSimulated() && !bound.isTimedAs(run.summary())) {
      throw new UserMistakeException(
          run.folder().toString(),
          "a bound takes the times that the experiment names, and this simulation took others",
          "you want ./sluice bound with the same --profile");
    }
    return bound;
  }
}
