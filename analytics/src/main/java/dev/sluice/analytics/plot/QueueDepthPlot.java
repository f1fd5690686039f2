package dev.sluice.analytics.plot;

import dev.sluice.analytics.figure.JobFigures;
import dev.sluice.analytics.fold.JobRow;
import dev.sluice.analytics.fold.QueueCurve;
import dev.sluice.analytics.fold.RunRows;
import dev.sluice.analytics.summary.Summary;
import java.awt.image.BufferedImage;
import java.util.List;
import java.util.Optional;
import org.knowm.xchart.XYChart;
import org.knowm.xchart.XYSeries;
import org.knowm.xchart.style.markers.SeriesMarkers;

/**
 * Waiting jobs over time, by class, in all phases: the maximum of each of many short intervals. The
 * dashed lines are the ends of the measured window.
 */
final class QueueDepthPlot implements Plot {
  private static final int INTERVALS = 600;

  @Override
  public String subject() {
    return "Waiting jobs";
  }

  @Override
  public Optional<BufferedImage> draw(RunRows run, Summary summary) {
    if (run.jobs().isEmpty()) {
      return Optional.empty();
    }
    XYChart chart =
        ChartStyle.xyChart(
            subject(), run, "time since time zero, s", "jobs that arrived and have not started");
    long endNs = run.windowEndNs();
    for (JobRow job : run.jobs()) {
      long untilNs = job.waitedUntilNs();
      endNs = Math.max(endNs, untilNs == Long.MAX_VALUE ? job.request().intendedAtNs() : untilNs);
    }
    List<String> classes = run.classNames();
    long most = 1;
    for (int i = 0; i < classes.size(); i++) {
      var queue = QueueCurve.of(JobFigures.ofClass(run.jobs(), classes.get(i)));
      most = Math.max(most, queue.max(0, endNs));
      addCurve(chart, classes.get(i), i, queue, endNs);
    }
    double top = Math.max(4, 1.05 * most);
    for (long edgeNs : new long[] {run.windowStartNs(), run.windowEndNs()}) {
      boolean first = edgeNs == run.windowStartNs();
      ChartStyle.dashedLine(
          chart,
          first ? "measured window" : "end of the measured window",
          new double[] {edgeNs / 1e9, edgeNs / 1e9},
          new double[] {0, top},
          ChartStyle.QUIET,
          first);
    }
    chart.getStyler().setYAxisMin(0.0);
    chart.getStyler().setYAxisMax(top);
    chart.getStyler().setXAxisMin(0.0);
    chart.getStyler().setXAxisMax(endNs / 1e9);
    chart.getStyler().setXAxisDecimalPattern("0.##");
    chart.getStyler().setYAxisDecimalPattern("#,##0.##");
    return Optional.of(ChartStyle.image(chart));
  }

  private static void addCurve(
      XYChart chart, String name, int index, QueueCurve queue, long endNs) {
    double[] xs = new double[INTERVALS];
    double[] ys = new double[INTERVALS];
    for (int i = 0; i < INTERVALS; i++) {
      long fromNs = endNs / INTERVALS * i;
      xs[i] = fromNs / 1e9;
      ys[i] = queue.max(fromNs, fromNs + endNs / INTERVALS);
    }
    XYSeries curve = chart.addSeries(name, xs, ys);
    curve.setXYSeriesRenderStyle(XYSeries.XYSeriesRenderStyle.Step);
    curve.setMarker(SeriesMarkers.NONE);
    curve.setLineColor(ChartStyle.ofClass(index));
    curve.setLineWidth(1.8f);
  }
}
