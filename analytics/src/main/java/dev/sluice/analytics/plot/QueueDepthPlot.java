package dev.sluice.analytics.plot;

import dev.sluice.analytics.fold.QueueCurve;
import dev.sluice.analytics.fold.RunRows;
import dev.sluice.analytics.row.Jobs.JobRow;
import dev.sluice.analytics.row.Summary;
import java.awt.BasicStroke;
import java.awt.Color;
import java.awt.image.BufferedImage;
import java.util.List;
import java.util.Optional;

/**
 * Waiting jobs over time, by class, in all phases: the maximum of each of many short intervals. The
 * dashed lines are the ends of the measured window.
 */
final class QueueDepthPlot implements Plots.Drawing {
  private static final int INTERVALS = 600;

  @Override
  public Optional<BufferedImage> draw(RunRows run, Summary summary, PictureFrame frame) {
    if (run.jobs().all().isEmpty()) {
      return Optional.empty();
    }
    var chart = new XyChart("time since time zero, s", "jobs that arrived and have not started");
    long endNs = run.windowEndNs();
    for (JobRow job : run.jobs().all()) {
      long untilNs = job.waitedUntilNs();
      endNs = Math.max(endNs, untilNs == Long.MAX_VALUE ? job.intendedAtNs() : untilNs);
    }
    List<String> classes = run.classNames();
    long most = 1;
    for (int i = 0; i < classes.size(); i++) {
      int place = i;
      var queue = QueueCurve.of(run, job -> run.classOf(job) == place);
      most = Math.max(most, queue.max(0, endNs));
      Color color = ChartStyle.ofClass(i);
      BasicStroke stroke = ChartStyle.stroke(i, 1.8f);
      chart.curve(steps(queue, endNs), color, stroke);
      frame.line(classes.get(i), color, stroke);
    }
    double top = Math.max(4, 1.05 * most);
    frame.line("measured window", ChartStyle.QUIET, ChartStyle.EDGE);
    chart.window(run, 0, top, endNs / 1e9).x(0, endNs / 1e9).y(0, top);
    return Optional.of(frame.beside(chart));
  }

  private static ChartStyle.Steps steps(QueueCurve queue, long endNs) {
    var steps = new ChartStyle.Steps(0, (double) queue.max(0, endNs / INTERVALS));
    for (int i = 1; i < INTERVALS; i++) {
      long fromNs = endNs / INTERVALS * i;
      steps.to(fromNs / 1e9, (double) queue.max(fromNs, fromNs + endNs / INTERVALS));
    }
    return steps;
  }
}
