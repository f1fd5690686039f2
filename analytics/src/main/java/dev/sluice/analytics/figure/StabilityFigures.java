package dev.sluice.analytics.figure;

import static dev.sluice.analytics.figure.Figure.Definition.Unit.COUNT;

import dev.sluice.analytics.fold.QueueWalk;
import dev.sluice.analytics.fold.RunRows;
import dev.sluice.analytics.folder.Summary;
import dev.sluice.analytics.row.JobView;
import dev.sluice.analytics.statistic.Bounds;
import dev.sluice.analytics.statistic.LongBag;
import dev.sluice.contract.experiment.Experiment.Scenario;
import java.util.ArrayList;
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
  public Fold begin(RunRows run) {
    return new Queue(run);
  }

  private static final class Queue implements OfJobs {
    private final RunRows run;

    /** Times at which jobs stop to wait. */
    private final LongBag leavesNs;

    Queue(RunRows run) {
      this.run = run;
      leavesNs = new LongBag();
    }

    @Override
    public void take(JobView job) {
      QueueWalk.addLeave(job, leavesNs);
    }

    @Override
    public void addTo(Summary summary) {
      addQueue(summary, run, leavesNs);
      leavesNs.clear();
    }
  }

  private static void addQueue(Summary summary, RunRows run, LongBag leavesNs) {
    long fromNs = run.windowStartNs();
    long toNs = run.windowEndNs();
    var window = new QueueWalk.Span(fromNs, toNs);
    var after = new QueueWalk.Span(toNs, toNs);
    List<QueueWalk.Span> quarters = new ArrayList<>();
    for (int quarter = 0; quarter < QUARTERS; quarter++) {
      quarters.add(
          new QueueWalk.Span(
              fromNs + (toNs - fromNs) * quarter / QUARTERS,
              fromNs + (toNs - fromNs) * (quarter + 1) / QUARTERS));
    }
    List<QueueWalk.Span> all = new ArrayList<>(List.of(window, after));
    all.addAll(quarters);
    QueueWalk.Span[] spans = all.toArray(new QueueWalk.Span[0]);
    QueueWalk.over(
        run.jobs(),
        leavesNs,
        (atNs, waiting) -> {
          for (QueueWalk.Span span : spans) {
            span.step(atNs, waiting);
          }
        });
    long growth = after.atBeginning() - window.atBeginning();
    summary.put("queue_growth", growth);
    summary.put("queue_mean", window.mean());
    summary.put("queue_max", window.max());
    boolean judged =
        run.measuredCount() >= ARRIVALS_MIN
            && run.context().experiment().load().scenario() == Scenario.SERVER;
    boolean unstable =
        growth > 2 * Math.sqrt(2.0 * run.measuredCount()) && risesEachQuarter(quarters);
    summary.put("unstable", judged ? Boolean.valueOf(unstable) : null);
  }

  private static boolean risesEachQuarter(List<QueueWalk.Span> quarters) {
    double previous = Double.NEGATIVE_INFINITY;
    for (QueueWalk.Span quarter : quarters) {
      if (quarter.mean() <= previous) {
        return false;
      }
      previous = quarter.mean();
    }
    return true;
  }
}
