package dev.sluice.analytics.plot;

import dev.sluice.analytics.fold.RunRows;
import dev.sluice.analytics.row.Jobs.JobRow;
import dev.sluice.analytics.row.Summary;
import java.awt.Color;
import java.awt.image.BufferedImage;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Waits of the done measured jobs of each class: a histogram of eight bins to a factor of ten.
 * Waits under 0.1 ms count in the first bin.
 */
final class WaitTimePlot implements Plots.Drawing {
  private static final int BINS_PER_DECADE = 8;
  private static final double LEAST_MS = 0.1;

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
    var chart = new XyChart("intended arrival to start, ms", "share of the class's done jobs, %");
    List<String> classes = run.classNames();
    double most = 0;
    for (int i = 0; i < classes.size(); i++) {
      int done = counts.get(i).values().stream().mapToInt(Integer::intValue).sum();
      if (done > 0) {
        String name = classes.get(i) + " (" + done + " jobs)";
        most = Math.max(most, addHistogram(chart, i, counts.get(i), firstBin, lastBin));
        frame.line(name, ChartStyle.ofClass(i), ChartStyle.stroke(i, 2f));
      }
    }
    double from = ChartStyle.niceBelow(leftMs(firstBin));
    double to = ChartStyle.niceAbove(leftMs(lastBin + 1));
    chart.logarithmicX(from, to).y(0, 1.05 * most);
    return Optional.of(frame.beside(chart));
  }

  /** Adds outlines of bars, corner by corner, as an area; returns the height of the highest. */
  private static double addHistogram(
      XyChart chart, int index, Map<Integer, Integer> counts, int firstBin, int lastBin) {
    int done = counts.values().stream().mapToInt(Integer::intValue).sum();
    var steps = new ChartStyle.Steps(leftMs(firstBin), 0);
    for (int bin = firstBin; bin <= lastBin; bin++) {
      steps.to(leftMs(bin), 100.0 * counts.getOrDefault(bin, 0) / done);
    }
    steps.to(leftMs(lastBin + 1), 0);
    Color color = ChartStyle.ofClass(index);
    Color fill = ChartStyle.translucent(color, 70);
    chart.area(steps, color, ChartStyle.stroke(index, 2f), fill);
    return Arrays.stream(steps.ys()).max().orElse(0);
  }

  /** Number of done measured jobs in each bin, by the places of classes. */
  private static List<Map<Integer, Integer>> counts(RunRows run) {
    List<Map<Integer, Integer>> counts = new ArrayList<>();
    run.classNames().forEach(name -> counts.add(new HashMap<>()));
    for (JobRow job : run.measured()) {
      if (job.isDone()) {
        counts.get(run.classOf(job)).merge(bin(job.waitNs()), 1, Integer::sum);
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
