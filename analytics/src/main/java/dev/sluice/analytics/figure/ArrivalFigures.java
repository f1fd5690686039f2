package dev.sluice.analytics.figure;

import dev.sluice.analytics.fold.RunRows;
import dev.sluice.analytics.row.Jobs;
import dev.sluice.analytics.summary.Summary;
import dev.sluice.contract.experiment.Experiment.Load;
import dev.sluice.contract.experiment.Experiment.Scenario;
import dev.sluice.contract.experiment.LoadShape;
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
    Load load = run.context().experiment().load();
    boolean overTime = load.scenario() == Scenario.SERVER;
    boolean atOnce = load.scenario() == Scenario.OFFLINE;
    summary.put("asked_rate_jobs_sec", overTime ? load.askedRateJobsPerSec() : null);
    summary.put("asked_arrivals", asked(load));
    summary.put(
        "realized_rate_jobs_sec", atOnce ? null : run.measuredCount() / run.windowSeconds());
    summary.put("realized_gap_cv", gapVariation(run));
    summary.put("realized_dispersion_1s", atOnce ? null : dispersion(run));
  }

  private static String asked(Load load) {
    if (load.scenario() != Scenario.SERVER) {
      return load.scenario().key();
    }
    String shape = load.shape().equals(LoadShape.even()) ? "" : ", load " + load.shape().name();
    return load.arrivals().words() + shape;
  }

  private static @Nullable Double dispersion(RunRows run) {
    int seconds = (int) Math.min(Integer.MAX_VALUE, Math.floor(run.windowSeconds()));
    if (seconds < 2) {
      return null;
    }
    var counts = new int[seconds];
    long counted = 0;
    Jobs jobs = run.jobs();
    long windowStartNs = run.windowStartNs();
    for (int i = 0; i < jobs.size(); i++) {
      int job = jobs.at(i);
      long second = (jobs.intendedAtNs(job) - windowStartNs) / NS_PER_SECOND;
      // of the window's last part of a second nothing counts
      if (jobs.isMeasured(job) && second < seconds) {
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

  private static @Nullable Double gapVariation(RunRows run) {
    int gaps = run.measuredCount() - 1;
    if (gaps < 2) {
      return null;
    }
    Jobs jobs = run.jobs();
    int first = 0;
    while (!jobs.isMeasured(jobs.at(first))) {
      first++;
    }
    int last = first + gaps; // jobs stand by their intended arrival, and so do the measured ones
    long spanNs = jobs.intendedAtNs(jobs.at(last)) - jobs.intendedAtNs(jobs.at(first));
    double mean = (double) spanNs / gaps;
    if (mean == 0) {
      return null;
    }
    double squares = 0;
    for (int i = first; i < last; i++) {
      double gap = (double) jobs.intendedAtNs(jobs.at(i + 1)) - jobs.intendedAtNs(jobs.at(i));
      squares += (gap - mean) * (gap - mean);
    }
    return Math.sqrt(squares / (gaps - 1)) / mean;
  }
}
