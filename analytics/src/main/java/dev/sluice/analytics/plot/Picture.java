package dev.sluice.analytics.plot;

import com.pngencoder.PngEncoder;
import dev.sluice.analytics.statistic.Decimals;
import java.awt.BasicStroke;
import java.awt.Color;
import java.awt.Paint;
import java.awt.image.BufferedImage;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.DoubleSummaryStatistics;
import java.util.List;
import java.util.Map;
import java.util.function.ToDoubleFunction;

/** A picture of numbers that come from no run, in the look of all pictures: curves and points. */
public final class Picture {
  /**
   * Level of zlib: the most of those that look for the next repetition only, as most pixels are
   * alike.
   */
  private static final int COMPRESSION = 3;

  private static final BasicStroke END =
      new BasicStroke(1, BasicStroke.CAP_BUTT, BasicStroke.JOIN_MITER, 10, new float[] {2, 4}, 0);

  private final XyChart chart;
  private final PictureFrame frame;
  private final DoubleSummaryStatistics shown = new DoubleSummaryStatistics();

  /** An empty picture with linear axes. */
  public Picture(String title, String xAxisTitle, String yAxisTitle) {
    frame = new PictureFrame(title);
    chart = new XyChart(xAxisTitle, yAxisTitle);
  }

  /** Adds points in the color and with the marker of a workload, by its place from 0. */
  public Picture points(String name, int workload, double[] xs, double[] ys) {
    Color color = ChartStyle.ofWorkload(workload);
    chart.points(xs, ys, color, ChartStyle.marker(workload));
    frame.marker(name, color, ChartStyle.marker(workload));
    Arrays.stream(ys).forEach(shown);
    return this;
  }

  /** Adds a curve in the color of a workload, without a place in the legend. */
  public Picture curve(int workload, double[] xs, double[] ys) {
    chart.line(xs, ys, ChartStyle.ofWorkload(workload), ChartStyle.stroke(workload, 2));
    Arrays.stream(ys).forEach(shown);
    return this;
  }

  /** Makes both axes logarithmic, of one range, with a dashed diagonal. */
  public Picture withDiagonal(String name) {
    double from = ChartStyle.niceBelow(shown.getMin());
    double to = ChartStyle.niceAbove(Math.max(0, shown.getMax()));
    double[] diagonal = {from, to};
    chart.line(diagonal, diagonal, ChartStyle.QUIET, ChartStyle.EDGE);
    frame.line(name, ChartStyle.QUIET, ChartStyle.EDGE);
    chart.logarithmicX(from, to);
    return logarithmicY();
  }

  public Picture logarithmicY() {
    chart.logarithmicY(
        ChartStyle.niceBelow(shown.getMin()), ChartStyle.niceAbove(Math.max(0, shown.getMax())));
    return this;
  }

  public byte[] png() {
    return png(frame.beside(chart));
  }

  /**
   * A picture of bars side by side, as the bytes of a PNG file.
   *
   * @param categories categories along the axis, in their order
   * @param heights heights of each series by its name, one for each category; NaN: no bar
   */
  public static byte[] bars(
      String title, String yAxisTitle, List<String> categories, Map<String, List<Double>> heights) {
    var bars = new Bars(categories);
    var frame = new PictureFrame(title);
    double most = 0;
    int place = 0;
    for (var series : heights.entrySet()) {
      Color color = place == 0 ? ChartStyle.QUIET : ChartStyle.ofWorkload(place - 1);
      Paint fill = ChartStyle.fill(place, color);
      bars.add(color, fill, series.getValue().stream().map(Picture::bar).toList());
      frame.fill(series.getKey(), color, fill);
      for (double height : series.getValue()) {
        most = Double.isNaN(height) ? most : Math.max(most, height);
      }
      place++;
    }
    return png(frame.around(bars.linear(yAxisTitle, "", most == 0 ? 1 : 1.12 * most)));
  }

  private static Bars.Bar bar(double height) {
    return new Bars.Bar(height, Decimals.plain(Math.round(height * 1e3) / 1e3), false);
  }

  /**
   * Figures at a rate in jobs/s.
   *
   * @param p99Ms p99, in ms; infinite where more than 1 % of the jobs were not done
   * @param goodput goodput, in jobs/s
   */
  public record Point(double rate, double p99Ms, double goodput) {}

  /**
   * A policy's runs, by rate.
   *
   * @param runs figures of each run
   * @param lines of each rate, the rising fit through the medians of its p99s (infinite: the line
   *     breaks), and its mean goodput
   * @param ends rates between which the answer lies: none, one or two
   */
  public record Runs(String policy, List<Point> runs, List<Point> lines, List<Double> ends) {
    private Runs within(double from, double to) {
      return new Runs(policy, within(runs, from, to), within(lines, from, to), ends);
    }

    private static List<Point> within(List<Point> points, double from, double to) {
      return points.stream().filter(point -> point.rate() >= from && point.rate() <= to).toList();
    }
  }

  private static double[] values(List<Point> points, ToDoubleFunction<Point> value) {
    return points.stream().mapToDouble(value).toArray();
  }

  /**
   * Load against p99 and goodput, around the answers: a point for each run, and for each policy a
   * line, which is the rising fit through the p99s or the means of the goodput, which falls again
   * under too much load; upright, the rates between which the answer lies.
   */
  public static byte[] loads(String title, List<Runs> all) {
    var frame = new PictureFrame(title);
    var latency = new XyChart(null, "p99 latency, ms");
    var goodput = new XyChart("load, jobs/s", "goodput, jobs/s");
    double[] shown = around(all);
    List<Runs> policies = all.stream().map(runs -> runs.within(shown[0], shown[1])).toList();
    List<Double> finite =
        policies.stream()
            .flatMap(runs -> runs.runs().stream())
            .map(Point::p99Ms)
            .filter(ms -> ms > 0 && Double.isFinite(ms))
            .toList();
    double least = ChartStyle.niceBelow(finite.isEmpty() ? 1 : Collections.min(finite));
    double edge = ChartStyle.niceAbove(finite.isEmpty() ? 1 : Collections.max(finite));
    double done =
        policies.stream()
            .flatMap(runs -> runs.runs().stream())
            .mapToDouble(Point::goodput)
            .max()
            .orElse(1);
    boolean infinite = false;
    for (int i = 0; i < policies.size(); i++) {
      Runs runs = policies.get(i);
      Color color = ChartStyle.ofWorkload(i);
      infinite |= addLatency(latency, runs, edge, color, i);
      if (!runs.runs().isEmpty()) {
        goodput.points(
            values(runs.runs(), Point::rate),
            values(runs.runs(), Point::goodput),
            color,
            ChartStyle.marker(i));
        goodput.line(
            values(runs.lines(), Point::rate),
            values(runs.lines(), Point::goodput),
            color,
            ChartStyle.stroke(i, 2));
      }
      for (double end : runs.ends()) {
        latency.upright(end, least, edge, color, END);
        goodput.upright(end, 0, 1.1 * done, color, END);
      }
      frame.marker(runs.policy(), color, ChartStyle.marker(i));
      frame.line(
          runs.policy() + ": rising fit of the p99, means of the goodput",
          color,
          ChartStyle.stroke(i, 2));
    }
    if (policies.stream().anyMatch(runs -> !runs.ends().isEmpty())) {
      frame.line("highest rate that passed, lowest that failed", ChartStyle.INK, END);
    }
    if (infinite) {
      frame.infinite();
    }
    long beyond = runs(all) - runs(policies);
    if (beyond > 0) {
      frame.note(beyond + (beyond == 1 ? " run" : " runs") + " further away, in capacity.csv");
    }
    latency.logarithmicY(least, edge).x(shown[0], shown[1]);
    goodput.y(0, 1.1 * done).x(shown[0], shown[1]);
    return png(frame.above(latency, goodput));
  }

  private static long runs(List<Runs> policies) {
    return policies.stream().mapToLong(runs -> runs.runs().size()).sum();
  }

  /** The rates that are shown: those around all answers, and all where there is none. */
  private static double[] around(List<Runs> policies) {
    DoubleSummaryStatistics loads =
        policies.stream()
            .flatMap(runs -> runs.runs().stream())
            .mapToDouble(Point::rate)
            .summaryStatistics();
    double from = loads.getMin();
    double to = loads.getMax();
    DoubleSummaryStatistics ends =
        policies.stream()
            .flatMap(runs -> runs.ends().stream())
            .mapToDouble(end -> end)
            .summaryStatistics();
    if (policies.stream().noneMatch(runs -> runs.ends().isEmpty())) {
      double margin = Math.max(1.15, Math.sqrt(ends.getMax() / ends.getMin()));
      from = Math.max(from, ends.getMin() / margin);
      to = Math.min(to, ends.getMax() * margin);
    }
    return new double[] {0.98 * from, 1.02 * to};
  }

  /** Adds a policy's p99s and their fit; true if one is infinite, which lies on the upper edge. */
  private static boolean addLatency(XyChart chart, Runs runs, double edge, Color color, int place) {
    List<Point> finite = new ArrayList<>();
    List<Point> infinite = new ArrayList<>();
    for (Point run : runs.runs()) {
      (Double.isInfinite(run.p99Ms()) ? infinite : finite).add(run);
    }
    if (!finite.isEmpty()) {
      chart.points(
          values(finite, Point::rate),
          values(finite, Point::p99Ms),
          color,
          ChartStyle.marker(place));
    }
    if (!infinite.isEmpty()) {
      chart.infinite(values(infinite, Point::rate), edge, color);
    }
    double[] fit =
        values(runs.lines(), line -> Double.isInfinite(line.p99Ms()) ? Double.NaN : line.p99Ms());
    if (Arrays.stream(fit).anyMatch(Double::isFinite)) {
      chart.line(values(runs.lines(), Point::rate), fit, color, ChartStyle.stroke(place, 2));
    }
    return !infinite.isEmpty();
  }

  public static byte[] png(BufferedImage image) {
    return new PngEncoder()
        .withBufferedImage(image)
        .withCompressionLevel(COMPRESSION)
        .withMultiThreadedCompressionEnabled(
            false) // several pictures are written beside each other
        .toBytes();
  }
}
