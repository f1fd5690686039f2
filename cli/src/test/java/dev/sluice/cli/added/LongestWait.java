package dev.sluice.cli.added;

import static dev.sluice.analytics.figure.Figure.Definition.Unit.MILLISECONDS;

import dev.sluice.analytics.figure.Figure;
import dev.sluice.analytics.fold.RunRows;
import dev.sluice.analytics.row.Jobs.JobRow;
import dev.sluice.analytics.row.Summary;
import java.util.List;

/** The longest wait of a measured done job: a figure that a test adds. */
public final class LongestWait implements Figure {
  @Override
  public List<Definition> numbers() {
    return List.of(Definition.of("longest_wait_ms", MILLISECONDS).lessIsBetter());
  }

  @Override
  public void addTo(Summary summary, RunRows run) {
    long longestNs = 0;
    for (JobRow job : run.measured()) {
      if (job.isDone()) {
        longestNs = Math.max(longestNs, job.waitNs());
      }
    }
    summary.put("longest_wait_ms", longestNs / 1e6);
  }
}
