package dev.sluice.harness.role;

import dev.sluice.analytics.abort.AbortFold;
import dev.sluice.analytics.abort.AbortFold.PlannedJobs;
import dev.sluice.contract.experiment.Experiment.Scenario;
import dev.sluice.contract.experiment.Experiment.Threshold;
import dev.sluice.contract.experiment.ParsedExperiment;
import dev.sluice.contract.file.UserMistakeException;
import dev.sluice.producer.requests.Request;
import dev.sluice.producer.requests.RequestList;
import org.jspecify.annotations.Nullable;

/** Thresholds that end a run, joined to its list of requests. */
public final class Aborts {
  private Aborts() {}

  public static boolean any(ParsedExperiment parsed) {
    return parsed.experiment().thresholds().values().stream().anyMatch(Threshold::abort);
  }

  /** The fold that watches the thresholds with {@code abort}; null: there are none. */
  public static @Nullable AbortFold of(ParsedExperiment parsed, RequestList requests)
      throws UserMistakeException {
    if (!any(parsed)) {
      return null;
    }
    boolean oneAtATime = parsed.experiment().load().scenario() == Scenario.SINGLE_STREAM;
    return AbortFold.of(
        parsed,
        new PlannedJobs() {
          @Override
          public boolean timesAreKnown() {
            return !oneAtATime;
          }

          @Override
          public void forEach(Visitor visitor) {
            for (int i = 0; i < requests.size(); i++) {
              Request job = requests.get(i);
              visitor.job(
                  job.classType(), job.workload(), job.samples(), job.sloNs(), job.intendedAtNs());
            }
          }
        });
  }
}
