package dev.sluice.harness.simulate;

import dev.sluice.analytics.report.RunReport;
import dev.sluice.contract.experiment.ParsedExperiment;
import dev.sluice.contract.file.UserMistakeException;
import dev.sluice.harness.frame.Environment;
import dev.sluice.harness.frame.ExitStatus;
import dev.sluice.harness.frame.RunFolder;
import dev.sluice.harness.role.Conclusion;
import java.io.IOException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** One of many experiments in virtual time: it prints nothing, and leaves figures alone. */
public final class QuietSimulation {
  private final SimulatedExperiment experiment;

  /** A threshold has ended a simulation, since it cannot be met any more. */
  public static final class LostThresholdException extends RuntimeException {
    private static final long serialVersionUID = 1;

    LostThresholdException(String why) {
      super(why);
    }
  }

  /** Reads the files; a profile takes the place of the service times that the experiment names. */
  public QuietSimulation(ParsedExperiment parsed, @Nullable Path profile)
      throws UserMistakeException {
    experiment = SimulatedExperiment.of(parsed, Profile.read(profile));
  }

  /**
   * Simulates, and leaves a folder with summary.json and config.yaml.
   *
   * @return the status that {@code ./sluice simulate} would end with
   * @throws LostThresholdException if a threshold has ended it
   */
  public int write(Path results, String runId) throws UserMistakeException, IOException {
    try (var folder = RunFolder.create(results, runId)) {
      Environment environment = experiment.environment();
      var report = experiment.simulate(runId, environment, null).report();
      report.writeSummary(folder.path());
      Conclusion.writeConfig(
          experiment.parsed(), report, environment, experiment.requests().digest(), folder.path());
      int status = Conclusion.status(report);
      if (status != ExitStatus.BUG) {
        folder.finish();
      }
      return status;
    }
  }

  public RunReport simulate(String runId) throws IOException {
    return experiment.simulate(runId, experiment.environment(), null).report();
  }
}
