package dev.sluice.harness.twin.figure;

import dev.sluice.analytics.summary.Summary;
import dev.sluice.contract.experiment.Experiment.Load;
import dev.sluice.contract.experiment.Experiment.Scenario;
import dev.sluice.contract.experiment.LoadShape;
import dev.sluice.harness.twin.fold.JobRow;
import dev.sluice.harness.twin.fold.RunRows;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Load of the measured jobs, beside the load that was asked for; a rate and a dispersion of jobs
 * that all arrive at once are null, and so is an asked rate where none is asked for:
 * realized_rate_jobs_sec = measured jobs / window, realized_gap_cv = standard deviation / mean of
 * the gaps between their intended arrivals (n − 1 in the divisor; null under three jobs). A Poisson
 * process's is 1. realized_dispersion_1s = variance / mean of the numbers of measured jobs that are
 * meant to arrive in each whole second of the window (n − 1 in the divisor; null under two seconds
 * and without a job). An even Poisson process's is 1.
 */
final class ArrivalFigures implements Figure {
  private static final long NS_PER_SECOND = 1_000_000_000;

  @Override
  public List<String> names() {
    return List.of(
        "asked_rate_jobs_sec",
        "realized_rate_jobs_sec",
        "realized_gap_cv",
        "realized_dispersion_1s");
  }

  @Override
  public void addTo(Summary summary, RunRows run) {
    List<JobRow> measured = run.measured();
    Load load = run.context().experiment().load();
    boolean overTime = load.scenario() == Scenario.SERVER;
    boolean atOnce = load.scenario() == Scenario.OFFLINE;
    summary.put("asked_rate_jobs_sec", overTime ? load.askedRateJobsPerSec() : null);
    summary.put("asked_arrivals", asked(load));
    summary.put("realized_rate_jobs_sec", atOnce ? null : measured.size() / run.windowSeconds());
    summary.put("realized_gap_cv", gapVariation(measured));
    summary.put("realized_dispersion_1s", atOnce ? null : dispersion(run, measured));
  }

  private static String asked(Load load) {
    if (load.scenario() != Scenario.SERVER) {
      return load.scenario().key();
    }
    String shape = load.shape().equals(LoadShape.even()) ? "" : ", load " + load.shape().name();
    return load.arrivals().words() + shape;
  }

  private static @Nullable Double dispersion(RunRows run, List<JobRow> jobs) {
    int seconds = (int) Math.min(Integer.MAX_VALUE, Math.floor(run.windowSeconds()));
    if (seconds < 2) {
      return null;
    }
    var counts = new int[seconds];
    long counted = 0;
    for (JobRow job : jobs) {
      long second = (job.request().intendedAtNs() - run.windowStartNs()) / NS_PER_SECOND;
      if (second < seconds) { // else it is meant for the window's last part of a second
        counts[(int) second]++;
        counted++;
      }
    }
    if (counted == 0) {
      return null;
    }
    double mean = (double) counted / seconds;
    double squares = 0;
    for (int count : counts) {
      squares += (count - mean) * (count - mean);
    }
    return squares / (seconds - 1) / mean;
  }

  private static @Nullable Double gapVariation(List<JobRow> jobs) {
    int gaps = jobs.size() - 1;
    if (gaps < 2) {
      return null;
    }
    double mean =
        (double) (jobs.get(gaps).request().intendedAtNs() - jobs.get(0).request().intendedAtNs())
            / gaps;
    if (mean == 0) {
      return null;
    }
    double squares = 0;
    for (int i = 0; i < gaps; i++) {
      double gap =
          (double) jobs.get(i + 1).request().intendedAtNs() - jobs.get(i).request().intendedAtNs();
      squares += (gap - mean) * (gap - mean);
    }
    return Math.sqrt(squares / (gaps - 1)) / mean;
  }
}
