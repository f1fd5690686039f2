package dev.sluice.analytics.plot;

import dev.sluice.analytics.figure.JobFigures;
import dev.sluice.analytics.fold.JobRow;
import dev.sluice.analytics.fold.RunRows;
import dev.sluice.analytics.summary.Summary;
import java.awt.image.BufferedImage;
import java.util.List;
import java.util.Optional;
import org.knowm.xchart.XYChart;
import org.knowm.xchart.XYSeries;
import org.knowm.xchart.style.markers.SeriesMarkers;

/**
 * Waits of the done measured jobs of each class: a histogram of eight bins to a factor of ten.
 * Waits under 0.1 ms count in the first bin.
 */
final class WaitTimePlot implements Plot {
  private static final int BINS_PER_DECADE = 8;
  private static final double LEAST_MS = 0.1;

  @Override
  public String subject() {
    return "Wait times";
  }

  @Override
  public Optional<BufferedImage> draw(RunRows run, Summary summary) {
    List<JobRow> done = run.measured().stream().filter(JobRow::isDone).toList();
    if (done.isEmpty()) {
      return Optional.empty();
    }
    XYChart chart =
        ChartStyle.xyChart("intended arrival to start, ms", "share of the class's done jobs, %");
    var frame = new Frame(ChartStyle.title(subject(), run));
    int firstBin = done.stream().mapToInt(WaitTimePlot::bin).min().orElseThrow();
    int lastBin = done.stream().mapToInt(WaitTimePlot::bin).max().orElseThrow();
    List<String> classes = run.classNames();
    for (int i = 0; i < classes.size(); i++) {
      List<JobRow> jobs = JobFigures.ofClass(done, classes.get(i));
      if (!jobs.isEmpty()) {
        String name = classes.get(i) + " (" + jobs.size() + " jobs)";
        addHistogram(chart, name, i, jobs, firstBin, lastBin);
        frame.line(name, ChartStyle.ofClass(i), ChartStyle.stroke(i, 2f));
      }
    }
    chart.getStyler().setXAxisLogarithmic(true);
    chart.getStyler().setXAxisMin(ChartStyle.niceBelow(leftMs(firstBin)));
    chart.getStyler().setXAxisMax(ChartStyle.niceAbove(leftMs(lastBin + 1)));
    chart.getStyler().setXAxisTickLabelsFormattingFunction(ChartStyle::tick);
    chart.getStyler().setYAxisMin(0.0);
    chart.getStyler().setYAxisDecimalPattern("0.##");
    return Optional.of(frame.beside(chart));
  }

  /** Outlines of bars, corner by corner, as an area. */
  private static void addHistogram(
      XYChart chart, String name, int index, List<JobRow> jobs, int firstBin, int lastBin) {
    int[] counts = new int[lastBin - firstBin + 1];
    jobs.forEach(job -> counts[bin(job) - firstBin]++);
    var steps = new ChartStyle.Steps(leftMs(firstBin), 0);
    for (int bin = firstBin; bin <= lastBin; bin++) {
      steps.to(leftMs(bin), 100.0 * counts[bin - firstBin] / jobs.size());
    }
    steps.to(leftMs(lastBin + 1), 0);
    XYSeries histogram = chart.addSeries(name, steps.xs(), steps.ys());
    histogram.setXYSeriesRenderStyle(XYSeries.XYSeriesRenderStyle.Area);
    histogram.setMarker(SeriesMarkers.NONE);
    histogram.setLineColor(ChartStyle.ofClass(index));
    histogram.setLineStyle(ChartStyle.stroke(index, 2f));
    histogram.setLineWidth(2f);
    histogram.setSmooth(true); // one path: dashes run on around the corners
    histogram.setFillColor(ChartStyle.translucent(ChartStyle.ofClass(index), 70));
  }

  private static int bin(JobRow job) {
    double ms = Math.max(LEAST_MS, job.waitNs() / 1e6);
    return (int) Math.floor(Math.log10(ms) * BINS_PER_DECADE);
  }

  private static double leftMs(int bin) {
    return Math.pow(10, (double) bin / BINS_PER_DECADE);
  }
}
