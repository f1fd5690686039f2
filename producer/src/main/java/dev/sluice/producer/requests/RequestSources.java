package dev.sluice.producer.requests;

import dev.sluice.contract.experiment.Arrivals;
import dev.sluice.contract.experiment.Experiment;
import dev.sluice.contract.experiment.Experiment.Scenario;
import dev.sluice.contract.experiment.LoadShape.Rates;
import dev.sluice.contract.experiment.ParsedExperiment;
import dev.sluice.contract.experiment.Ranges;
import dev.sluice.contract.file.UserMistakeException;
import dev.sluice.producer.arrivals.RateFile;
import dev.sluice.producer.arrivals.RescaledTime;

/** The source of requests that an experiment's {@code arrivals} and {@code load} ask for. */
public final class RequestSources {
  private RequestSources() {}

  /**
   * Returns the source that an experiment file asks for. The files that it names are read here.
   *
   * @param isolatedTimes called only for jobs of classes with a {@code slo_scale}, by the source
   * @throws UserMistakeException if a file that the experiment names is missing or wrong
   */
  public static RequestSource of(ParsedExperiment parsed, IsolatedTimes isolatedTimes)
      throws UserMistakeException {
    Experiment experiment = parsed.experiment();
    RescaledTime rescaled =
        experiment.load().shape() instanceof Rates rates
            ? RateFile.read(parsed, rates, Ranges.JOBS_MAX)
            : RescaledTime.of(experiment.load().shape());
    return experiment.load().arrivals() instanceof Arrivals.Replayed replayed
        ? new ReplayedRequests(parsed, replayed.replay(), rescaled, isolatedTimes)
        : drawn(experiment, rescaled, isolatedTimes);
  }

  /**
   * Returns the source of an experiment that names no file.
   *
   * @throws IllegalArgumentException if the experiment names a file, or the process is unknown
   */
  static RequestSource drawn(Experiment experiment, IsolatedTimes isolatedTimes) {
    return drawn(experiment, RescaledTime.of(experiment.load().shape()), isolatedTimes);
  }

  private static RequestSource drawn(
      Experiment experiment, RescaledTime rescaled, IsolatedTimes isolatedTimes) {
    if (experiment.load().scenario() != Scenario.SERVER) {
      return new ScenarioRequests(experiment, isolatedTimes);
    }
    if (experiment.load().arrivals() instanceof Arrivals.Drawn drawn) {
      return new DrawnRequests(experiment, drawn, rescaled, isolatedTimes);
    }
    throw new IllegalArgumentException(
        "arrivals (" + experiment.load().arrivals().words() + ") come from a file");
  }
}
