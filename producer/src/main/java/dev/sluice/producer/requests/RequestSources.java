package dev.sluice.producer.requests;

import dev.sluice.contract.experiment.Arrivals;
import dev.sluice.contract.experiment.Experiment;
import dev.sluice.contract.experiment.ParsedExperiment;
import dev.sluice.contract.file.UserMistakeException;

/** The source of requests that an experiment's {@code arrivals} ask for. */
final class RequestSources {
  private RequestSources() {}

  /**
   * Returns the source that an experiment file asks for.
   *
   * @throws UserMistakeException if a file that the experiment names is missing or wrong
   */
  static RequestSource of(ParsedExperiment parsed, IsolatedTimes isolatedTimes)
      throws UserMistakeException {
    if (parsed.experiment().load().arrivals() instanceof Arrivals.Replayed replayed) {
      return new ReplayedRequests(parsed, replayed.replay(), isolatedTimes);
    }
    return drawn(parsed.experiment(), isolatedTimes);
  }

  /**
   * Returns the source of an experiment that names no file.
   *
   * @throws IllegalArgumentException if the experiment names a file, or the process is unknown
   */
  static RequestSource drawn(Experiment experiment, IsolatedTimes isolatedTimes) {
    if (experiment.load().arrivals() instanceof Arrivals.Drawn drawn) {
      return new DrawnRequests(experiment, drawn, isolatedTimes);
    }
    throw new IllegalArgumentException(
        "arrivals (" + experiment.load().arrivals().words() + ") come from a file");
  }
}
