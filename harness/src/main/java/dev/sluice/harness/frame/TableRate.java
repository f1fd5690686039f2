package dev.sluice.harness.frame;

import dev.sluice.contract.experiment.Experiment;
import dev.sluice.contract.experiment.ParsedExperiment;
import dev.sluice.contract.file.Numbers;
import dev.sluice.contract.file.UserMistakeException;
import dev.sluice.executor.dispatch.LaneSource;
import dev.sluice.executor.lane.ExecutorSettings;
import dev.sluice.producer.requests.OfferedRate;

/** The rate that an offered load asks of emulated lanes, whose times are known before a start. */
public final class TableRate {
  private TableRate() {}

  /**
   * Returns the experiment itself, or, if its lanes are emulated, with the rate that follows from
   * its offered load.
   *
   * @throws UserMistakeException if a file that the experiment names is missing or wrong
   */
  public static ParsedExperiment ofEmulated(ParsedExperiment parsed) throws UserMistakeException {
    Experiment experiment = parsed.experiment();
    if (!parsed.needsRate() || !experiment.lanes().emulated()) {
      return parsed;
    }
    try (LaneSource lanes = LaneSource.of(parsed)) {
      return OfferedRate.of(
          parsed,
          LaneSource.emulation(parsed, lanes.latencyTable(), experiment.lanes().speed())
              .capabilities(ExecutorSettings.of(experiment, "executor", 1, 0)));
    }
  }

  /**
   * As {@link #ofEmulated}, where nobody measures real lanes before the load.
   *
   * @param why what stands in the way, for example {@code each role has a process of its own}
   * @throws UserMistakeException if the lanes are real, too
   */
  public static ParsedExperiment orRefuse(ParsedExperiment parsed, String why)
      throws UserMistakeException {
    ParsedExperiment rated = ofEmulated(parsed);
    Double load = rated.experiment().load().offeredLoad();
    if (load != null && rated.needsRate()) {
      throw new UserMistakeException(
          parsed.location("offered_load"),
          "offered_load ("
              + Numbers.text(load)
              + ") needs real lanes that are measured before the load, and "
              + why,
          "--set arrival_rate_jobs_per_sec=10 or the like is meant; ./sluice run FILE --dry-run"
              + " prints the rate of this machine");
    }
    return rated;
  }
}
