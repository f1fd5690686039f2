package dev.sluice.cli.added;

import static dev.sluice.analytics.figure.Figure.Definition.Unit.MILLISECONDS;

import dev.sluice.analytics.figure.Figure;
import dev.sluice.analytics.fold.RunRows;
import dev.sluice.analytics.row.Jobs;
import dev.sluice.analytics.row.Summary;
import java.util.List;

/** The longest wait of a measured done job: a figure that a test adds. */
public final class LongestWait implements Figure {
  @Override
  public List<Definition> numbers() {
    return List.of(Definition.of("longest_wait_ms", MILLISECONDS).lessIsBetter());
  }

  @Override
  public Fold begin(RunRows run) {
    return new Waits(run.jobs());
  }

  private static final class Waits implements OfJobs {
    private final Jobs jobs;
    private long longestNs;

    Waits(Jobs jobs) {
      this.jobs = jobs;
    }

    @Override
    public void takeJob(int job) {
      if (jobs.isMeasured(job) && jobs.isDone(job)) {
        longestNs = Math.max(longestNs, jobs.waitNs(job));
      }
    }

    @Override
    public void addTo(Summary summary) {
      summary.put("longest_wait_ms", longestNs / 1e6);
    }
  }
}
