package dev.sluice.analytics.plot;

import dev.sluice.analytics.fold.RunRows;
import dev.sluice.analytics.row.Jobs;
import dev.sluice.analytics.row.Jobs.JobRow;
import dev.sluice.analytics.row.Summary;
import dev.sluice.analytics.statistic.LongBag;
import dev.sluice.analytics.statistic.NearestRank;
import java.awt.BasicStroke;
import java.awt.Color;
import java.awt.image.BufferedImage;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.DoubleStream;
import java.util.stream.LongStream;

/**
 * The p50, p95 and p99 of the jobs that ended in each second or longer window, by class, in all
 * phases. A window without such a job is a gap. A percentile that falls on a job that was not done
 * is infinite, and drawn at the upper edge. The thin lines are the classes' promises.
 */
final class LatencyOverTimePlot implements Plots.Drawing {
  private static final List<Integer> PERCENTS = List.of(50, 95, 99);
  private static final int WINDOWS_MAX = 120;
  private static final long[] WINDOWS_S = {1, 2, 5, 10, 20, 30, 60, 120, 300, 600, 1_800, 3_600};
  private static final double LEAST_MS = 0.001;

  /** Latency of a job that was not done: it lies above all others. */
  private static final long NEVER_NS = Long.MAX_VALUE;

  @Override
  public Optional<BufferedImage> draw(RunRows run, Summary summary, PictureFrame frame) {
    boolean someDone = false;
    long lastNs = Jobs.NONE;
    for (JobRow job : run.jobs().all()) {
      someDone |= job.isDone();
      lastNs = Math.max(lastNs, endedAtNs(job));
    }
    if (!someDone) {
      return Optional.empty();
    }
    long windowS = windowS(lastNs / 1_000_000_000 + 1);
    int windows = Math.toIntExact(lastNs / 1_000_000_000 / windowS + 1);
    double toS = (double) windows * windowS;
    List<String> classes = run.classNames();
    double[][][] percentilesMs = percentilesMs(run, windowS * 1_000_000_000, windows);
    List<double[]> promises = classes.stream().map(run::promisesMs).toList();
    var values =
        DoubleStream.concat(
                Arrays.stream(percentilesMs)
                    .flatMap(Arrays::stream)
                    .flatMapToDouble(Arrays::stream),
                promises.stream().flatMapToDouble(Arrays::stream))
            .filter(Double::isFinite)
            .summaryStatistics();
    double from = ChartStyle.niceBelow(values.getMin());
    double to = ChartStyle.niceAbove(1.3 * values.getMax());
    XyChart[] charts = new XyChart[PERCENTS.size()];
    boolean infinite = false;
    for (int i = 0; i < PERCENTS.size(); i++) {
      charts[i] = chart(PERCENTS.get(i), i == PERCENTS.size() - 1, windowS);
      charts[i].logarithmicY(from, to).x(0, toS);
      charts[i].window(run, from, to, toS);
      for (int j = 0; j < classes.size(); j++) {
        infinite |= add(charts[i], j, i, percentilesMs[j], windowS, to);
        for (double sloMs : promises.get(j)) {
          charts[i].level(sloMs, 0, toS, ChartStyle.ofClass(j), ChartStyle.stroke(j, 1f));
        }
      }
    }
    for (int j = 0; j < classes.size(); j++) {
      frame.line(classes.get(j), ChartStyle.ofClass(j), ChartStyle.stroke(j, 2.2f));
    }
    frame.line("promise of the class (thin)", ChartStyle.QUIET, new BasicStroke(1f));
    frame.line("measured window", ChartStyle.QUIET, ChartStyle.EDGE);
    if (infinite) {
      frame.infinite();
    }
    return Optional.of(frame.above(charts));
  }

  /** Adds a class's curve, and returns true if it is infinite somewhere. */
  private static boolean add(
      XyChart chart, int place, int percentile, double[][] windowsMs, long windowS, double to) {
    Color color = ChartStyle.ofClass(place);
    var steps = new ChartStyle.Steps(0, Double.NaN);
    List<Double> infiniteAtS = new ArrayList<>();
    boolean some = false;
    for (int i = 0; i < windowsMs.length; i++) {
      double ms = windowsMs[i][percentile];
      if (Double.isInfinite(ms)) {
        infiniteAtS.add((i + 0.5) * windowS);
      }
      some |= !Double.isNaN(ms);
      steps.to((double) i * windowS, Math.min(to, ms));
    }
    if (some) {
      steps.to((double) windowsMs.length * windowS, Double.NaN);
      chart.curve(steps, color, ChartStyle.stroke(place, 2.2f));
    }
    if (!infiniteAtS.isEmpty()) {
      double[] xs = infiniteAtS.stream().mapToDouble(Double::doubleValue).toArray();
      chart.infinite(xs, to, color);
    }
    return !infiniteAtS.isEmpty();
  }

  private static XyChart chart(int percent, boolean last, long windowS) {
    String of = windowS == 1 ? "each second" : "each " + windowS + " s";
    return new XyChart(
        last ? "time since time zero, s; over the jobs that ended in " + of : null,
        "p" + percent + ", ms");
  }

  /** The shortest window of which not too many make the whole run. */
  static long windowS(long runS) {
    return LongStream.of(WINDOWS_S)
        .filter(windowS -> runS <= windowS * WINDOWS_MAX)
        .findFirst()
        .orElse((runS + WINDOWS_MAX - 1) / WINDOWS_MAX);
  }

  /**
   * Percentiles of the jobs that ended, by the places of classes, windows and {@link #PERCENTS};
   * NaN where none ended.
   */
  private static double[][][] percentilesMs(RunRows run, long windowNs, int windows) {
    var endToEndNs = new LongBag[run.classNames().size()][windows];
    for (LongBag[] ofClass : endToEndNs) {
      Arrays.setAll(ofClass, window -> new LongBag());
    }
    for (JobRow job : run.jobs().all()) {
      long endedAtNs = endedAtNs(job);
      if (endedAtNs != Jobs.NONE) {
        int window = Math.toIntExact(Math.max(0, endedAtNs) / windowNs);
        endToEndNs[run.classOf(job)][window].add(job.isDone() ? job.endToEndNs() : NEVER_NS);
      }
    }
    return Arrays.stream(endToEndNs)
        .map(
            of ->
                Arrays.stream(of).map(LatencyOverTimePlot::percentilesMs).toArray(double[][]::new))
        .toArray(double[][][]::new);
  }

  private static double[] percentilesMs(LongBag endToEndNs) {
    long[] sorted = endToEndNs.sorted();
    return PERCENTS.stream()
        .mapToDouble(percent -> NearestRank.percentile(sorted, percent))
        .map(ns -> ns == NEVER_NS ? Double.POSITIVE_INFINITY : Math.max(LEAST_MS, ns / 1e6))
        .toArray();
  }

  /** When a job ended: its batch's end, else the log time of its outcome. */
  private static long endedAtNs(JobRow job) {
    return job.isDone() ? job.finishedAtNs() : job.endedAtNs();
  }
}
