package dev.sluice.analytics.plot;

import com.pngencoder.PngEncoder;
import dev.sluice.analytics.statistic.Decimals;
import java.awt.Color;
import java.awt.Paint;
import java.awt.image.BufferedImage;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.DoubleSummaryStatistics;
import java.util.List;
import java.util.Map;
import org.knowm.xchart.XYChart;

/** A picture of numbers that come from no run, in the look of all pictures: curves and points. */
public final class Picture {
  /**
   * Level of zlib: the most of those that look for the next repetition only, as most pixels are
   * alike.
   */
  private static final int COMPRESSION = 3;

  private final XYChart chart;
  private final PictureFrame frame;
  private double least = Double.POSITIVE_INFINITY;
  private double most;

  /** An empty picture with linear axes. */
  public Picture(String title, String xAxisTitle, String yAxisTitle) {
    frame = new PictureFrame(title);
    chart = ChartStyle.xyChart(xAxisTitle, yAxisTitle);
    chart.getStyler().setMarkerSize(7);
  }

  /**
   * Adds points.
   *
   * @param workload place of the workload, from 0, which decides the color
   */
  public Picture points(String name, int workload, double[] xs, double[] ys) {
    Color color = ChartStyle.ofWorkload(workload);
    ChartStyle.points(chart, name, xs, ys, color, ChartStyle.marker(workload));
    frame.marker(name, color, ChartStyle.marker(workload));
    extend(ys);
    return this;
  }

  /** Adds a curve in the color of a workload, without a place in the legend. */
  public Picture curve(String name, int workload, double[] xs, double[] ys) {
    ChartStyle.line(
        chart, name, xs, ys, ChartStyle.ofWorkload(workload), ChartStyle.stroke(workload, 2));
    extend(ys);
    return this;
  }

  private void extend(double[] ys) {
    for (double y : ys) {
      least = Math.min(least, y);
      most = Math.max(most, y);
    }
  }

  /** Makes both axes logarithmic, of one range, with a dashed diagonal. */
  public Picture withDiagonal(String name) {
    double from = ChartStyle.niceBelow(least);
    double to = ChartStyle.niceAbove(most);
    double[] diagonal = {from, to};
    ChartStyle.line(chart, name, diagonal, diagonal, ChartStyle.QUIET, ChartStyle.EDGE);
    frame.line(name, ChartStyle.QUIET, ChartStyle.EDGE);
    chart.getStyler().setXAxisLogarithmic(true);
    chart.getStyler().setXAxisMin(from);
    chart.getStyler().setXAxisMax(to);
    chart.getStyler().setXAxisTickLabelsFormattingFunction(ChartStyle::tick);
    return logarithmicY();
  }

  /** Makes the vertical axis logarithmic. */
  public Picture logarithmicY() {
    chart.getStyler().setYAxisLogarithmic(true);
    chart.getStyler().setYAxisMin(ChartStyle.niceBelow(least));
    chart.getStyler().setYAxisMax(ChartStyle.niceAbove(most));
    chart.getStyler().setYAxisTickLabelsFormattingFunction(ChartStyle::tick);
    return this;
  }

  /** The picture as the bytes of a PNG file. */
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

  /** A figure at a rate in jobs/s. */
  public record Point(double rate, double value) {}

  /**
   * A policy's runs, by rate.
   *
   * @param p99Ms p99s of the runs, in ms; infinite where more than 1 % of the jobs were not done
   * @param p99Fit rising fit through these
   * @param goodput goodput of each run, in jobs/s
   * @param goodputMeans mean goodput of each rate
   */
  public record Runs(
      String policy,
      List<Point> p99Ms,
      List<Point> p99Fit,
      List<Point> goodput,
      List<Point> goodputMeans) {}

  private static double[] rates(List<Point> points) {
    return points.stream().mapToDouble(Point::rate).toArray();
  }

  private static double[] values(List<Point> points) {
    return points.stream().mapToDouble(Point::value).toArray();
  }

  /**
   * Load against p99 and goodput: a point for each run, and for each policy a line: the rising fit
   * through the p99s, and the means of the goodput, which falls again under too much load.
   */
  public static byte[] loads(String title, List<Runs> policies) {
    var frame = new PictureFrame(title);
    XYChart latency = ChartStyle.xyChart("", "p99 latency, ms");
    XYChart goodput = ChartStyle.xyChart("load, jobs/s", "goodput, jobs/s");
    latency.getStyler().setMarkerSize(7);
    goodput.getStyler().setMarkerSize(7);
    List<Double> finite =
        policies.stream()
            .flatMap(runs -> runs.p99Ms().stream())
            .map(Point::value)
            .filter(ms -> ms > 0 && Double.isFinite(ms))
            .toList();
    double edge = ChartStyle.niceAbove(finite.isEmpty() ? 1 : Collections.max(finite));
    boolean infinite = false;
    for (int i = 0; i < policies.size(); i++) {
      Runs runs = policies.get(i);
      Color color = ChartStyle.ofWorkload(i);
      infinite |= addLatency(latency, runs, edge, color, i);
      ChartStyle.points(
          goodput,
          runs.policy(),
          rates(runs.goodput()),
          values(runs.goodput()),
          color,
          ChartStyle.marker(i));
      ChartStyle.line(
          goodput,
          runs.policy() + ", mean",
          rates(runs.goodputMeans()),
          values(runs.goodputMeans()),
          color,
          ChartStyle.stroke(i, 2));
      frame.marker(runs.policy(), color, ChartStyle.marker(i));
      frame.line(
          runs.policy() + ": rising fit of the p99, means of the goodput",
          color,
          ChartStyle.stroke(i, 2));
    }
    if (infinite) {
      frame.infinite();
    }
    latency.getStyler().setYAxisLogarithmic(true);
    latency
        .getStyler()
        .setYAxisMin(ChartStyle.niceBelow(finite.isEmpty() ? 1 : Collections.min(finite)));
    latency.getStyler().setYAxisMax(edge);
    latency.getStyler().setYAxisTickLabelsFormattingFunction(ChartStyle::tick);
    DoubleSummaryStatistics loads =
        policies.stream()
            .flatMap(runs -> runs.goodput().stream())
            .mapToDouble(Point::rate)
            .summaryStatistics();
    for (XYChart chart : List.of(latency, goodput)) {
      chart.getStyler().setXAxisMin(loads.getMin());
      chart.getStyler().setXAxisMax(loads.getMax());
    }
    return png(frame.above(latency, goodput));
  }

  /**
   * Adds a policy's p99s and their fit; what is infinite lies on the upper edge.
   *
   * @return true if one is infinite
   */
  private static boolean addLatency(XYChart chart, Runs runs, double edge, Color color, int place) {
    List<Point> finite = new ArrayList<>();
    List<Point> infinite = new ArrayList<>();
    for (Point run : runs.p99Ms()) {
      (Double.isInfinite(run.value()) ? infinite : finite).add(run);
    }
    if (!finite.isEmpty()) {
      ChartStyle.points(
          chart, runs.policy(), rates(finite), values(finite), color, ChartStyle.marker(place));
    }
    if (!infinite.isEmpty()) {
      ChartStyle.infinite(chart, runs.policy() + ", infinite", rates(infinite), edge, color);
    }
    if (!runs.p99Fit().isEmpty()) {
      ChartStyle.line(
          chart,
          runs.policy() + ", fit",
          rates(runs.p99Fit()),
          Arrays.stream(values(runs.p99Fit())).map(ms -> Math.min(ms, edge)).toArray(),
          color,
          ChartStyle.stroke(place, 2));
    }
    return !infinite.isEmpty();
  }

  /** Returns a picture as the bytes of a PNG file. */
  public static byte[] png(BufferedImage image) {
    return new PngEncoder()
        .withBufferedImage(image)
        .withCompressionLevel(COMPRESSION)
        .withMultiThreadedCompressionEnabled(
            false) // several pictures are written beside each other
        .toBytes();
  }
}
