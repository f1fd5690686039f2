package dev.sluice.analytics.figure;

import static dev.sluice.analytics.figure.Figure.Definition.Unit.COUNT;

import dev.sluice.analytics.fold.QueueCurve;
import dev.sluice.analytics.fold.RunRows;
import dev.sluice.analytics.row.Summary;
import dev.sluice.analytics.statistic.Bounds;
import dev.sluice.contract.experiment.Experiment.Scenario;
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
  public List<Definition> numbers() {
    return List.of(
        Definition.of("queue_growth", COUNT).within(Bounds.NONE),
        Definition.of("queue_mean", COUNT).lessIsBetter(),
        Definition.of("queue_max", COUNT).lessIsBetter());
  }

  @Override
  public void addTo(Summary summary, RunRows run) {
    long fromNs = run.windowStartNs();
    long toNs = run.windowEndNs();
    var queue = QueueCurve.of(run, job -> true);
    long growth = queue.at(toNs) - queue.at(fromNs);
    summary.put("queue_growth", growth);
    summary.put("queue_mean", queue.mean(fromNs, toNs));
    summary.put("queue_max", queue.max(fromNs, toNs));
    boolean judged =
        run.measured().size() >= ARRIVALS_MIN
            && run.context().experiment().load().scenario() == Scenario.SERVER;
    boolean unstable =
        growth > 2 * Math.sqrt(2.0 * run.measured().size())
            && risesEachQuarter(queue, fromNs, toNs);
    summary.put("unstable", judged ? Boolean.valueOf(unstable) : null);
  }

  private static boolean risesEachQuarter(QueueCurve queue, long fromNs, long toNs) {
    double previous = Double.NEGATIVE_INFINITY;
    for (int quarter = 0; quarter < QUARTERS; quarter++) {
      double mean =
          queue.mean(
              fromNs + (toNs - fromNs) * quarter / QUARTERS,
              fromNs + (toNs - fromNs) * (quarter + 1) / QUARTERS);
      if (mean <= previous) {
        return false;
      }
      previous = mean;
    }
    return true;
  }
}
