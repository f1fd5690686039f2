package dev.sluice.analytics.plot;

import dev.sluice.analytics.fold.RunRows;
import dev.sluice.analytics.row.Jobs.JobRow;
import dev.sluice.analytics.row.Summary;
import java.awt.BasicStroke;
import java.awt.Color;
import java.awt.image.BufferedImage;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;

/**
 * Waits of the done measured jobs of each class: a histogram of eight bins to a factor of ten.
 * Waits under 0.1 ms count in the first bin.
 */
final class WaitTimePlot implements Plots.Drawing {
  private static final int BINS_PER_DECADE = 8;
  private static final double LEAST_MS = 0.1;

  @Override
  public Optional<BufferedImage> draw(RunRows run, Summary summary, PictureFrame frame) {
    List<String> classes = run.classNames();
    TreeMap<Integer, int[]> bins = new TreeMap<>(); // numbers of jobs, by the places of classes
    int[] done = new int[classes.size()];
    for (JobRow job : run.measured()) {
      if (job.isDone()) {
        int place = run.classOf(job);
        bins.computeIfAbsent(bin(job.waitNs()), any -> new int[done.length])[place]++;
        done[place]++;
      }
    }
    if (bins.isEmpty()) {
      return Optional.empty();
    }
    var chart = new XyChart("intended arrival to start, ms", "share of the class's done jobs, %");
    double most = 0;
    for (int i = 0; i < done.length; i++) {
      if (done[i] > 0) {
        // outlines of bars, corner by corner
        var steps = new ChartStyle.Steps(leftMs(bins.firstKey()), 0);
        for (int bin = bins.firstKey(); bin <= bins.lastKey(); bin++) {
          int[] counts = bins.get(bin);
          double percent = counts == null ? 0 : 100.0 * counts[i] / done[i];
          most = Math.max(most, percent);
          steps.to(leftMs(bin), percent);
        }
        steps.to(leftMs(bins.lastKey() + 1), 0);
        Color color = ChartStyle.ofClass(i);
        BasicStroke stroke = ChartStyle.stroke(i, 2f);
        chart.area(steps, color, stroke, ChartStyle.translucent(color, 70));
        frame.line(classes.get(i) + " (" + done[i] + " jobs)", color, stroke);
      }
    }
    double from = ChartStyle.niceBelow(leftMs(bins.firstKey()));
    double to = ChartStyle.niceAbove(leftMs(bins.lastKey() + 1));
    chart.logarithmicX(from, to).y(0, 1.05 * most);
    return Optional.of(frame.beside(chart));
  }

  private static int bin(long waitNs) {
    double ms = Math.max(LEAST_MS, waitNs / 1e6);
    return (int) Math.floor(Math.log10(ms) * BINS_PER_DECADE);
  }

  private static double leftMs(int bin) {
    return Math.pow(10, (double) bin / BINS_PER_DECADE);
  }
}
