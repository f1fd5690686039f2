package dev.sluice.analytics.figure;

import static dev.sluice.analytics.figure.Figure.Definition.Unit.PER_SECOND;
import static dev.sluice.analytics.figure.Figure.Definition.Unit.RATIO;

import dev.sluice.analytics.fold.RunRows;
import dev.sluice.analytics.row.Jobs;
import dev.sluice.analytics.row.Summary;
import dev.sluice.contract.experiment.Experiment.Load;
import dev.sluice.contract.experiment.Experiment.Scenario;
import dev.sluice.contract.experiment.LoadShape;
import java.util.Arrays;
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
  public List<Definition> numbers() {
    return List.of(
        Definition.of("asked_rate_jobs_sec", PER_SECOND),
        Definition.of("realized_rate_jobs_sec", PER_SECOND),
        Definition.of("realized_gap_cv", RATIO),
        Definition.of("realized_dispersion_1s", RATIO));
  }

  @Override
  public Fold begin(RunRows run) {
    return new Times(run);
  }

  private static String asked(Load load) {
    if (load.scenario() != Scenario.SERVER) {
      return load.scenario().key();
    }
    String shape = load.shape().equals(LoadShape.even()) ? "" : ", load " + load.shape().name();
    return load.arrivals().words() + shape;
  }

  private static final class Times implements OfJobs {
    private final RunRows run;
    private final long windowStartNs;

    /** Measured jobs in each whole second of the window. */
    private final int[] ofSecond;

    private final long countedToNs;
    private final double meanGapNs;
    private double squares;
    private long beforeNs;
    private boolean begun;

    Times(RunRows run) {
      this.run = run;
      windowStartNs = run.windowStartNs();
      int seconds = (int) Math.min(Integer.MAX_VALUE, Math.floor(run.windowSeconds()));
      ofSecond = new int[isAtOnce() ? 0 : Math.max(0, seconds)];
      countedToNs = windowStartNs + ofSecond.length * NS_PER_SECOND;
      meanGapNs = meanGapNs();
    }

    private boolean isAtOnce() {
      return run.context().experiment().load().scenario() == Scenario.OFFLINE;
    }

    /** Mean of the gaps: jobs stand by their intended arrival, and so do the measured ones. */
    private double meanGapNs() {
      int gaps = run.measuredCount() - 1;
      if (gaps < 2) {
        return 0;
      }
      Jobs jobs = run.jobs();
      int first = 0;
      while (!jobs.isMeasured(jobs.at(first))) {
        first++;
      }
      long spanNs = jobs.intendedAtNs(jobs.at(first + gaps)) - jobs.intendedAtNs(jobs.at(first));
      return (double) spanNs / gaps;
    }

    @Override
    public void takeJob(int job) {
      if (!run.jobs().isMeasured(job)) {
        return;
      }
      long atNs = run.jobs().intendedAtNs(job);
      if (atNs < countedToNs) { // of the window's last part of a second nothing counts
        ofSecond[(int) ((atNs - windowStartNs) / NS_PER_SECOND)]++;
      }
      if (begun) {
        double gap = (double) atNs - beforeNs;
        squares += (gap - meanGapNs) * (gap - meanGapNs);
      }
      begun = true;
      beforeNs = atNs;
    }

    @Override
    public void addTo(Summary summary) {
      Load load = run.context().experiment().load();
      boolean overTime = load.scenario() == Scenario.SERVER;
      summary.put("asked_rate_jobs_sec", overTime ? load.askedRateJobsPerSec() : null);
      summary.put("asked_arrivals", asked(load));
      summary.put(
          "realized_rate_jobs_sec", isAtOnce() ? null : run.measuredCount() / run.windowSeconds());
      summary.put("realized_gap_cv", meanGapNs == 0 ? null : gapVariation());
      summary.put("realized_dispersion_1s", ofSecond.length < 2 ? null : dispersion());
    }

    private double gapVariation() {
      return Math.sqrt(squares / (run.measuredCount() - 2)) / meanGapNs;
    }

    private @Nullable Double dispersion() {
      long counted = Arrays.stream(ofSecond).asLongStream().sum();
      if (counted == 0) {
        return null;
      }
      double mean = (double) counted / ofSecond.length;
      double sum = 0;
      for (int count : ofSecond) {
        sum += (count - mean) * (count - mean);
      }
      return sum / (ofSecond.length - 1) / mean;
    }
  }
}
