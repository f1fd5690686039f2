package dev.sluice.harness.frame;

import dev.sluice.contract.experiment.ParsedExperiment;
import dev.sluice.contract.experiment.Ranges;
import dev.sluice.contract.file.Numbers;
import dev.sluice.contract.file.UserMistakeException;

/** The most jobs of a live run, which keeps more of each job in memory than a simulation does. */
public final class LiveJobs {
  private LiveJobs() {}

  /**
   * Refuses an experiment that only a simulation takes.
   *
   * @throws UserMistakeException if it asks for more than {@link Ranges#LIVE_JOBS_MAX} jobs
   */
  public static void check(ParsedExperiment parsed) throws UserMistakeException {
    double jobs = parsed.experiment().load().askedJobs();
    if (jobs > Ranges.LIVE_JOBS_MAX) {
      throw new UserMistakeException(
          parsed.location("arrival_rate_jobs_per_sec"),
          "a live run of about "
              + Numbers.text(Math.rint(jobs))
              + " jobs has more than "
              + Numbers.text(Ranges.LIVE_JOBS_MAX),
          "duration_seconds should be shorter, or ./sluice simulate takes the experiment");
    }
  }
}
