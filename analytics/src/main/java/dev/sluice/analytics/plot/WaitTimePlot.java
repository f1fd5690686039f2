package dev.sluice.analytics.plot;

import dev.sluice.analytics.fold.RunRows;
import dev.sluice.analytics.folder.Summary;
import dev.sluice.analytics.row.Jobs;
import java.awt.image.BufferedImage;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
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
  public Optional<BufferedImage> draw(RunRows run, Summary summary, PictureFrame frame) {
    List<Map<Integer, Integer>> counts = counts(run);
    int firstBin = Integer.MAX_VALUE;
    int lastBin = Integer.MIN_VALUE;
    for (Map<Integer, Integer> ofClass : counts) {
      for (int bin : ofClass.keySet()) {
        firstBin = Math.min(firstBin, bin);
        lastBin = Math.max(lastBin, bin);
      }
    }
    if (firstBin > lastBin) {
      return Optional.empty();
    }
    XYChart chart =
        ChartStyle.xyChart("intended arrival to start, ms", "share of the class's done jobs, %");
    List<String> classes = run.classNames();
    for (int i = 0; i < classes.size(); i++) {
      int done = counts.get(i).values().stream().mapToInt(Integer::intValue).sum();
      if (done > 0) {
        String name = classes.get(i) + " (" + done + " jobs)";
        addHistogram(chart, name, i, counts.get(i), firstBin, lastBin);
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
      XYChart chart,
      String name,
      int index,
      Map<Integer, Integer> counts,
      int firstBin,
      int lastBin) {
    int done = counts.values().stream().mapToInt(Integer::intValue).sum();
    var steps = new ChartStyle.Steps(leftMs(firstBin), 0);
    for (int bin = firstBin; bin <= lastBin; bin++) {
      steps.to(leftMs(bin), 100.0 * counts.getOrDefault(bin, 0) / done);
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

  /** Number of done measured jobs in each bin, by the places of classes. */
  private static List<Map<Integer, Integer>> counts(RunRows run) {
    Jobs jobs = run.jobs();
    List<Map<Integer, Integer>> counts = new ArrayList<>();
    run.classNames().forEach(name -> counts.add(new HashMap<>()));
    for (int i = 0; i < jobs.size(); i++) {
      int job = jobs.at(i);
      if (jobs.isMeasured(job) && jobs.isDone(job)) {
        counts.get(run.classOf(job)).merge(bin(jobs.waitNs(job)), 1, Integer::sum);
      }
    }
    return counts;
  }

  private static int bin(long waitNs) {
    double ms = Math.max(LEAST_MS, waitNs / 1e6);
    return (int) Math.floor(Math.log10(ms) * BINS_PER_DECADE);
  }

  private static double leftMs(int bin) {
    return Math.pow(10, (double) bin / BINS_PER_DECADE);
  }
}
