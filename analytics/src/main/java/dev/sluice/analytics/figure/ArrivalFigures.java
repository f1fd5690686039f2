package dev.sluice.analytics.figure;

import dev.sluice.analytics.fold.JobRow;
import dev.sluice.analytics.fold.RunRows;
import dev.sluice.analytics.summary.Summary;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Load of the measured jobs, beside the load that was asked for: realized_rate_jobs_sec = measured
 * jobs / window, realized_gap_cv = standard deviation / mean of the gaps between their intended
 * arrivals (n − 1 in the divisor; null under three jobs). A Poisson process's is 1.
 */
final class ArrivalFigures implements Figure {
  @Override
  public List<String> names() {
    return List.of("realized_rate_jobs_sec", "realized_gap_cv");
  }

  @Override
  public void addTo(Summary summary, RunRows run) {
    List<JobRow> measured = run.measured();
    summary.put("asked_rate_jobs_sec", run.context().experiment().load().arrivalRateJobsPerSec());
    summary.put("asked_arrivals", run.context().experiment().load().arrivals().words());
    summary.put("realized_rate_jobs_sec", measured.size() / run.windowSeconds());
    summary.put("realized_gap_cv", gapVariation(measured));
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
