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

  /** Jobs of a class that ended in a window, with percentiles by place in {@link #PERCENTS}. */
  private record Ended(int count, List<Double> percentilesMs) {
    static Ended of(long[] doneNs, int count) {
      return new Ended(
          count,
          PERCENTS.stream()
              .map(p -> Math.max(LEAST_MS, NearestRank.percentile(doneNs, p, count) / 1e6))
              .toList());
    }
  }

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
    List<Ended[]> ended = ended(run, windowS * 1_000_000_000, windows);
    List<double[]> promises = classes.stream().map(run::promisesMs).toList();
    var values =
        DoubleStream.concat(
                ended.stream()
                    .flatMap(Arrays::stream)
                    .filter(window -> window.count() > 0)
                    .flatMap(window -> window.percentilesMs().stream())
                    .mapToDouble(Double::doubleValue),
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
        infinite |= add(charts[i], j, i, ended.get(j), windowS, to);
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
      XyChart chart, int place, int percentile, Ended[] ended, long windowS, double to) {
    Color color = ChartStyle.ofClass(place);
    var steps = new ChartStyle.Steps(0, Double.NaN);
    List<Double> infiniteAtS = new ArrayList<>();
    boolean some = false;
    for (int i = 0; i < ended.length; i++) {
      double ms = ended[i].count() == 0 ? Double.NaN : ended[i].percentilesMs().get(percentile);
      if (Double.isInfinite(ms)) {
        infiniteAtS.add((i + 0.5) * windowS);
      }
      some |= !Double.isNaN(ms);
      steps.to((double) i * windowS, Math.min(to, ms));
    }
    if (some) {
      steps.to((double) ended.length * windowS, Double.NaN);
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

  /** What ended in each window, by the places of classes. */
  private static List<Ended[]> ended(RunRows run, long windowNs, int windows) {
    int classes = run.classNames().size();
    var counts = new int[classes][windows];
    var doneNs = new LongBag[classes][windows];
    for (LongBag[] ofClass : doneNs) {
      Arrays.setAll(ofClass, window -> new LongBag());
    }
    for (JobRow job : run.jobs().all()) {
      long endedAtNs = endedAtNs(job);
      if (endedAtNs != Jobs.NONE) {
        int window = Math.toIntExact(Math.max(0, endedAtNs) / windowNs);
        counts[run.classOf(job)][window]++;
        if (job.isDone()) {
          doneNs[run.classOf(job)][window].add(job.endToEndNs());
        }
      }
    }
    List<Ended[]> ended = new ArrayList<>();
    for (int place = 0; place < classes; place++) {
      var ofClass = new Ended[windows];
      for (int window = 0; window < windows; window++) {
        ofClass[window] = Ended.of(doneNs[place][window].sorted(), counts[place][window]);
      }
      ended.add(ofClass);
    }
    return ended;
  }

  /** When a job ended: its batch's end, else the log time of its outcome. */
  private static long endedAtNs(JobRow job) {
    return job.isDone() ? job.finishedAtNs() : job.endedAtNs();
  }
}
