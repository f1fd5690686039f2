package dev.sluice.harness.twin.figure;

import dev.sluice.analytics.summary.Summary;
import dev.sluice.contract.experiment.Experiment.Scenario;
import dev.sluice.harness.twin.fold.QueueCurve;
import dev.sluice.harness.twin.fold.RunRows;
import java.util.List;

/**
 * unstable: whether the queue rose over the measured window. The queue at t is the number of jobs
 * whose intended arrival is not after t and which have neither started nor ended by t. The queue
 * rose if
 *
 * <ul>
 *   <li>queue_growth = queue at the window's end − at its beginning is more than 2 √(2 × measured
 *       arrivals): two standard deviations of a queue that neither rises nor falls in the mean,
 *       with as many Poisson arrivals and departures; and
 *   <li>the time-average of the queue rises from each quarter of the window to the next, so that
 *       one burst at its end does not count.
 * </ul>
 *
 * Null under 20 measured arrivals, which can show neither, and under a scenario other than server,
 * whose arrivals have no rate. A queue bounded by drops does not rise. queue_mean and queue_max are
 * over the window.
 */
final class StabilityFigures implements Figure {
  private static final int ARRIVALS_MIN = 20;
  private static final int QUARTERS = 4;

  @Override
  public List<String> names() {
    return List.of("queue_growth", "queue_mean", "queue_max");
  }

  @Override
  public void addTo(Summary summary, RunRows run) {
    long arrivals = run.measured().size();
    QueueCurve queue = QueueCurve.of(run.jobs());
    long fromNs = run.windowStartNs();
    long toNs = run.windowEndNs();
    long growth = queue.at(toNs) - queue.at(fromNs);
    summary.put("queue_growth", growth);
    summary.put("queue_mean", queue.mean(fromNs, toNs));
    summary.put("queue_max", queue.max(fromNs, toNs));
    boolean judged =
        arrivals >= ARRIVALS_MIN && run.context().experiment().load().scenario() == Scenario.SERVER;
    summary.put("unstable", judged ? Boolean.valueOf(isUnstable(queue, run, growth)) : null);
  }

  private static boolean isUnstable(QueueCurve queue, RunRows run, long growth) {
    return growth > 2 * Math.sqrt(2.0 * run.measured().size())
        && risesEachQuarter(queue, run.windowStartNs(), run.windowEndNs());
  }

  private static boolean risesEachQuarter(QueueCurve queue, long fromNs, long toNs) {
    double previous = Double.NEGATIVE_INFINITY;
    for (int quarter = 0; quarter < QUARTERS; quarter++) {
      long startNs = fromNs + (toNs - fromNs) * quarter / QUARTERS;
      long endNs = fromNs + (toNs - fromNs) * (quarter + 1) / QUARTERS;
      double mean = queue.mean(startNs, endNs);
      if (mean <= previous) {
        return false;
      }
      previous = mean;
    }
    return true;
  }
}
