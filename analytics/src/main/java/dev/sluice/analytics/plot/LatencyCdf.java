package dev.sluice.analytics.plot;

import dev.sluice.analytics.statistic.LongBag;
import java.awt.BasicStroke;
import java.awt.Color;
import java.awt.image.BufferedImage;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.DoubleSummaryStatistics;
import java.util.List;
import java.util.Optional;
import java.util.stream.DoubleStream;
import java.util.stream.IntStream;

/**
 * Share of each group's jobs that were done within a time, and beside it the share that was not, on
 * a logarithmic axis, where the last jobs can be seen. Both are step functions: they move only
 * where a job ended, and end with the last job that was done. There a group whose jobs were all
 * done is at 1 and at 0, which is the foot of the logarithmic axis; a group of which some were
 * never done ends at their share, and the legend counts them. Thin upright lines are promises.
 */
public final class LatencyCdf {
  private static final int POINTS_MAX = 2_000;
  private static final int TAIL_POINTS = 100;
  private static final double LEAST_MS = 0.001;

  private final PictureFrame frame;
  private final List<Group> groups = new ArrayList<>();
  private final List<Promise> promises = new ArrayList<>();

  /** Some jobs, done or not; the latencies of the done ones rise. */
  @SuppressWarnings("ArrayRecordComponent") // compared by nobody
  record Group(String name, int place, long[] doneNs, int count) {}

  private record Promise(String name, int place, List<Double> ms) {}

  public LatencyCdf(PictureFrame frame) {
    this.frame = frame;
  }

  /**
   * Adds jobs, unless there are none.
   *
   * @param place place that decides color and dashes, from 0
   * @param doneNs latencies of the done ones
   * @param count number of jobs, done or not
   */
  public LatencyCdf add(String name, int place, LongBag doneNs, int count) {
    if (count > 0) {
      groups.add(new Group(name, place, doneNs.sorted(), count));
    }
    return this;
  }

  /** Adds promises of a group, in the look of its place. */
  void promised(String name, int place, double[] ms) {
    promises.add(new Promise(name, place, Arrays.stream(ms).boxed().toList()));
  }

  /** The picture; empty if no job was done. */
  public Optional<BufferedImage> image() {
    List<Group> done = groups.stream().filter(group -> group.doneNs().length > 0).toList();
    if (done.isEmpty()) {
      return Optional.empty();
    }
    DoubleSummaryStatistics shownMs =
        DoubleStream.concat(
                done.stream()
                    .map(Group::doneNs)
                    .flatMapToDouble(ns -> DoubleStream.of(ms(ns[0]), ms(ns[ns.length - 1]))),
                promises.stream().flatMap(promise -> promise.ms().stream()).mapToDouble(ms -> ms))
            .summaryStatistics();
    double fromMs = ChartStyle.niceBelow(shownMs.getMin());
    double toMs = ChartStyle.niceAbove(shownMs.getMax());
    double floor = floor(done);
    boolean reachesNone = done.stream().anyMatch(group -> group.doneNs().length == group.count());
    XyChart within = chart("share of measured jobs done within", fromMs, toMs).y(0, 1, 0.1);
    XyChart beyond =
        chart("share of measured jobs not done within (1 − p)", fromMs, toMs)
            .logarithmicY(
                floor,
                1,
                share -> reachesNone && isFoot(share, floor) ? "0" : ChartStyle.tick(share));
    for (Group group : groups) {
      double[][] drawn = drawn(group.doneNs());
      Color color = ChartStyle.ofClass(group.place());
      BasicStroke stroke = ChartStyle.stroke(group.place(), 2.4f);
      if (drawn.length > 0) {
        within.curve(within(drawn, group.count(), fromMs), color, stroke);
        beyond.curve(beyond(drawn, group.count(), fromMs, floor), color, stroke);
      }
      frame.line(legend(group.name(), group.doneNs().length, group.count()), color, stroke);
    }
    for (Promise promise : promises) {
      Color color = ChartStyle.ofClass(promise.place());
      BasicStroke stroke = ChartStyle.stroke(promise.place(), 1f);
      for (double ms : promise.ms()) {
        within.upright(ms, 0, 1, color, stroke);
        beyond.upright(ms, floor, 1, color, stroke);
      }
      frame.line(promise.name(), color, stroke);
    }
    return Optional.of(frame.beside(within, beyond));
  }

  private static XyChart chart(String yAxisTitle, double fromMs, double toMs) {
    return new XyChart("intended arrival to end, ms", yAxisTitle).logarithmicX(fromMs, toMs);
  }

  private static double ms(long ns) {
    return Math.max(LEAST_MS, ns / 1e6);
  }

  /** Foot of the logarithmic axis: a power of ten below every share above 0 of a curve. */
  static double floor(List<Group> done) {
    double least =
        done.stream()
            .mapToDouble(g -> Math.max(1, g.count() - g.doneNs().length) / (double) g.count())
            .min()
            .orElse(1);
    return Math.pow(10, Math.floor(Math.log10(0.5 * least)));
  }

  private static boolean isFoot(double share, double floor) {
    return share < 1.5 * floor; // ticks above are at least twice as high
  }

  static String legend(String name, int done, int count) {
    return name
        + (done == count
            ? " (all " + count + " done)"
            : " (" + (count - done) + " of " + count + " never done)");
  }

  /** The share done within a time: from 0, up at each job's latency, to the last one's. */
  static ChartStyle.Steps within(double[][] drawn, int count, double fromMs) {
    var steps = new ChartStyle.Steps(fromMs, 0);
    for (double[] rankAndMs : drawn) {
      steps.to(rankAndMs[1], rankAndMs[0] / count);
    }
    return steps;
  }

  /** One minus the share done within a time, down to the floor where no job is left. */
  static ChartStyle.Steps beyond(double[][] drawn, int count, double fromMs, double floor) {
    var steps = new ChartStyle.Steps(fromMs, 1);
    for (double[] rankAndMs : drawn) {
      steps.to(rankAndMs[1], Math.max(floor, (count - rankAndMs[0]) / count));
    }
    return steps;
  }

  /**
   * Ranks, from 1, at which a curve steps, and their latencies in ms: all, or of very many evenly
   * chosen ones and the last hundred.
   */
  static double[][] drawn(long[] doneNs) {
    int length = doneNs.length;
    int step = Math.max(1, length / POINTS_MAX);
    return IntStream.range(0, length)
        .filter(place -> place % step == 0 || place >= length - TAIL_POINTS)
        .mapToObj(place -> new double[] {place + 1, ms(doneNs[place])})
        .toArray(double[][]::new);
  }
}
