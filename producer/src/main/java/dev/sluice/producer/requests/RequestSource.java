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
import java.util.List;

/**
 * A source of the requests of a run, in the order of their intended times. Used once, by one
 * thread.
 */
public interface RequestSource {
  /** Goes on to the next request; false if there is none, now and ever after. */
  boolean next();

  /** Returns the intended time of the present request, not below that of the one before. */
  long intendedAtNs();

  /** Returns all else of the present request. */
  JobKind kind();

  /** Returns lines about the source that a person should know before the run. */
  default List<String> notes() {
    return List.of();
  }

  /**
   * Returns the source that an experiment file asks for. The files that it names are read here.
   *
   * @param isolatedTimes called only for jobs of classes with a {@code slo_scale}, by the source
   * @throws UserMistakeException if a file that the experiment names is missing or wrong
   */
  static RequestSource of(ParsedExperiment parsed, IsolatedTimes isolatedTimes)
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
      return DrawnRequests.atOnce(experiment, isolatedTimes);
    }
    if (experiment.load().arrivals() instanceof Arrivals.Drawn drawn) {
      return DrawnRequests.of(experiment, drawn, rescaled, isolatedTimes);
    }
    throw new IllegalArgumentException(
        "arrivals (" + experiment.load().arrivals().words() + ") come from a file");
  }

  /** Service times of jobs that run alone; promises by {@code slo_scale} are multiples of them. */
  @FunctionalInterface
  interface IsolatedTimes {
    /**
     * Returns the service time, in milliseconds, of a job on an otherwise idle machine; above 0.
     * Equal arguments give equal times.
     */
    double isolatedMs(String workload, String backend, String precision, int samples);
  }
}
