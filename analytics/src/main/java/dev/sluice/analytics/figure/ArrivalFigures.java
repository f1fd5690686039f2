package dev.sluice.analytics.figure;

import static dev.sluice.analytics.figure.Figure.Definition.Unit.PER_SECOND;
import static dev.sluice.analytics.figure.Figure.Definition.Unit.RATIO;

import dev.sluice.analytics.fold.RunRows;
import dev.sluice.analytics.row.Jobs.JobRow;
import dev.sluice.analytics.row.Summary;
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
  public List<Definition> numbers() {
    return List.of(
        Definition.of("asked_rate_jobs_sec", PER_SECOND),
        Definition.of("realized_rate_jobs_sec", PER_SECOND),
        Definition.of("realized_gap_cv", RATIO),
        Definition.of("realized_dispersion_1s", RATIO));
  }

  @Override
  public void addTo(Summary summary, RunRows run) {
    Load load = run.context().experiment().load();
    boolean atOnce = load.scenario() == Scenario.OFFLINE;
    boolean overTime = load.scenario() == Scenario.SERVER;
    double[] atNs = run.measured().stream().mapToDouble(JobRow::intendedAtNs).toArray();
    summary.put("asked_rate_jobs_sec", overTime ? load.askedRateJobsPerSec() : null);
    summary.put("asked_arrivals", asked(load));
    summary.put("realized_rate_jobs_sec", atOnce ? null : atNs.length / run.windowSeconds());
    summary.put("realized_gap_cv", gapVariation(atNs));
    summary.put("realized_dispersion_1s", atOnce ? null : dispersion(run));
  }

  private static String asked(Load load) {
    if (load.scenario() != Scenario.SERVER) {
      return load.scenario().key();
    }
    String shape = load.shape().equals(LoadShape.even()) ? "" : ", load " + load.shape().name();
    return load.arrivals().words() + shape;
  }

  private static @Nullable Double gapVariation(double[] atNs) {
    int gaps = atNs.length - 1;
    double meanNs = gaps < 2 ? 0 : (atNs[gaps] - atNs[0]) / gaps;
    if (meanNs == 0) {
      return null;
    }
    double squares = 0;
    for (int i = 1; i <= gaps; i++) {
      double gapNs = atNs[i] - atNs[i - 1];
      squares += (gapNs - meanNs) * (gapNs - meanNs);
    }
    return Math.sqrt(squares / (gaps - 1)) / meanNs;
  }

  private static @Nullable Double dispersion(RunRows run) {
    int[] ofSecond = new int[Math.max(0, (int) Math.floor(run.windowSeconds()))];
    int counted = 0;
    for (JobRow job : run.measured()) {
      long second = (job.intendedAtNs() - run.windowStartNs()) / NS_PER_SECOND;
      if (second < ofSecond.length) { // of the window's last part of a second nothing counts
        ofSecond[(int) second]++;
        counted++;
      }
    }
    if (ofSecond.length < 2 || counted == 0) {
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
