package dev.sluice.analytics.plot;

import java.awt.Color;
import java.awt.image.BufferedImage;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Map;
import javax.imageio.ImageIO;
import org.knowm.xchart.CategoryChart;
import org.knowm.xchart.CategoryChartBuilder;
import org.knowm.xchart.XYChart;
import org.knowm.xchart.XYSeries;
import org.knowm.xchart.style.markers.SeriesMarkers;

/** A picture of numbers that come from no run, in the look of all pictures: curves and points. */
public final class Picture {
  private final XYChart chart;
  private double least = Double.POSITIVE_INFINITY;
  private double most;

  /** An empty picture with linear axes. */
  public Picture(String title, String xAxisTitle, String yAxisTitle) {
    chart = ChartStyle.xyChart(title, xAxisTitle, yAxisTitle);
    chart.getStyler().setMarkerSize(7);
  }

  /**
   * Adds points.
   *
   * @param workload place of the workload, from 0, which decides the color
   */
  public Picture points(String name, int workload, double[] xs, double[] ys) {
    XYSeries series = chart.addSeries(name, xs, ys);
    series.setXYSeriesRenderStyle(XYSeries.XYSeriesRenderStyle.Scatter);
    series.setMarker(SeriesMarkers.CIRCLE);
    series.setMarkerColor(ChartStyle.translucent(ChartStyle.ofWorkload(workload), 150));
    extend(ys);
    return this;
  }

  /** Adds a curve in the color of a workload, without a place in the legend. */
  public Picture curve(String name, int workload, double[] xs, double[] ys) {
    XYSeries series = chart.addSeries(name, xs, ys);
    series.setXYSeriesRenderStyle(XYSeries.XYSeriesRenderStyle.Line);
    series.setMarker(SeriesMarkers.NONE);
    series.setLineColor(ChartStyle.ofWorkload(workload));
    series.setLineWidth(2);
    series.setShowInLegend(false);
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
    ChartStyle.dashedLine(chart, name, diagonal, diagonal, ChartStyle.QUIET, true);
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
    return png(ChartStyle.image(chart));
  }

  /**
   * A picture of bars side by side, as the bytes of a PNG file.
   *
   * @param categories categories along the axis, in their order
   * @param heights heights of each series by its name, one for each category; NaN: no bar
   */
  public static byte[] bars(
      String title, String yAxisTitle, List<String> categories, Map<String, List<Double>> heights) {
    CategoryChart chart =
        new CategoryChartBuilder()
            .width(ChartStyle.WIDTH)
            .height(ChartStyle.HEIGHT)
            .title(title)
            .yAxisTitle(yAxisTitle)
            .build();
    ChartStyle.apply(chart.getStyler());
    chart.getStyler().setAvailableSpaceFill(0.7);
    chart.getStyler().setDecimalPattern("0.###");
    int place = 0;
    for (var series : heights.entrySet()) {
      Color colour = place == 0 ? ChartStyle.QUIET : ChartStyle.ofWorkload(place - 1);
      chart.addSeries(series.getKey(), categories, series.getValue()).setFillColor(colour);
      place++;
    }
    return png(ChartStyle.image(chart));
  }

  private static byte[] png(BufferedImage image) {
    try {
      var bytes = new ByteArrayOutputStream();
      ImageIO.write(image, "png", bytes);
      return bytes.toByteArray();
    } catch (IOException e) {
      throw new UncheckedIOException(e); // of an array in memory
    }
  }
}
