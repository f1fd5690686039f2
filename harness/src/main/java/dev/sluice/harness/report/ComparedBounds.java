package dev.sluice.harness.report;

import dev.sluice.analytics.compare.ComparedRun;
import dev.sluice.analytics.folder.FinishedRun;
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
final class ComparedBounds {
  private ComparedBounds() {}

  /**
   * Returns the means over runs.
   *
   * @throws UserMistakeException if a run's lanes took other times than those its experiment names
   */
  static Map<String, Double> of(List<ComparedRun> runs) throws UserMistakeException {
    Map<String, Double> means = new HashMap<>();
    for (ComparedRun compared : runs) {
      FinishedRun run = compared.run();
      ParsedExperiment parsed =
          ExperimentFile.read(run.config(), List.of(), Registries.vocabulary());
      ExperimentBound bound = bound(run, parsed);
      double seconds = parsed.experiment().load().measuredSeconds();
      Set<String> scopes = new LinkedHashSet<>(List.of("all"));
      bound.requests().kinds().forEach(kind -> scopes.add(kind.classType()));
      for (String scope : scopes) {
        Good good = bound.good(kind -> scope.equals("all") || kind.classType().equals(scope), null);
        means.merge(
            scope + "_goodput_jobs_sec", good.goodMax() / seconds / runs.size(), Double::sum);
        means.merge(scope + "_slo_violation_rate", (1 - good.share()) / runs.size(), Double::sum);
      }
    }
    return means;
  }

  private static ExperimentBound bound(FinishedRun run, ParsedExperiment parsed)
      throws UserMistakeException {
    if (!run.isSimulated() && !parsed.experiment().lanes().emulated()) {
      throw new UserMistakeException(
          run.folder().toString(),
          "--bound needs the times of all batches, and this run's lanes were real",
          "you want ./sluice bound with --profile, which takes them from the run");
    }
    ExperimentBound bound = ExperimentBound.of(parsed, null);
    if (run.isSimulated() && !bound.isTimedAs(run.summary())) {
      throw new UserMistakeException(
          run.folder().toString(),
          "--bound takes the times that the experiment names, and this simulation took others",
          "you want ./sluice bound with the same --profile");
    }
    return bound;
  }
}
