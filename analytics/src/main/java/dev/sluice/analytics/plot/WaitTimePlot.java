package dev.sluice.analytics.plot;

import dev.sluice.analytics.figure.JobFigures;
import dev.sluice.analytics.fold.JobRow;
import dev.sluice.analytics.fold.RunRows;
import dev.sluice.analytics.summary.Summary;
import java.awt.image.BufferedImage;
import java.util.ArrayList;
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
        ChartStyle.xyChart(
            subject(), run, "intended arrival to start, ms", "share of the class's done jobs, %");
    int firstBin = done.stream().mapToInt(WaitTimePlot::bin).min().orElseThrow();
    int lastBin = done.stream().mapToInt(WaitTimePlot::bin).max().orElseThrow();
    List<String> classes = run.classNames();
    for (int i = 0; i < classes.size(); i++) {
      List<JobRow> jobs = JobFigures.ofClass(done, classes.get(i));
      if (!jobs.isEmpty()) {
        addHistogram(chart, classes.get(i), i, jobs, firstBin, lastBin);
      }
    }
    chart.getStyler().setXAxisLogarithmic(true);
    chart.getStyler().setXAxisMin(ChartStyle.niceBelow(leftMs(firstBin)));
    chart.getStyler().setXAxisMax(ChartStyle.niceAbove(leftMs(lastBin + 1)));
    chart.getStyler().setXAxisTickLabelsFormattingFunction(ChartStyle::tick);
    chart.getStyler().setYAxisMin(0.0);
    chart.getStyler().setYAxisDecimalPattern("0.##");
    return Optional.of(ChartStyle.image(chart));
  }

  /** Outlines of bars, corner by corner, as an area. */
  private static void addHistogram(
      XYChart chart, String name, int index, List<JobRow> jobs, int firstBin, int lastBin) {
    int[] counts = new int[lastBin - firstBin + 1];
    jobs.forEach(job -> counts[bin(job) - firstBin]++);
    List<Double> xs = new ArrayList<>();
    List<Double> ys = new ArrayList<>();
    xs.add(leftMs(firstBin));
    ys.add(0.0);
    for (int bin = firstBin; bin <= lastBin; bin++) {
      double percent = 100.0 * counts[bin - firstBin] / jobs.size();
      xs.add(leftMs(bin));
      ys.add(percent);
      xs.add(leftMs(bin + 1));
      ys.add(percent);
    }
    xs.add(leftMs(lastBin + 1));
    ys.add(0.0);
    XYSeries histogram = chart.addSeries(name + " (" + jobs.size() + " jobs)", xs, ys);
    histogram.setXYSeriesRenderStyle(XYSeries.XYSeriesRenderStyle.Area);
    histogram.setMarker(SeriesMarkers.NONE);
    histogram.setLineColor(ChartStyle.ofClass(index));
    histogram.setLineWidth(2f);
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
