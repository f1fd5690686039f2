package dev.sluice.analytics.plot;

import dev.sluice.analytics.fold.RunRows;
import java.awt.BasicStroke;
import java.awt.Color;
import java.awt.Graphics2D;
import java.awt.Paint;
import java.awt.Shape;
import java.awt.geom.Rectangle2D;
import java.text.DecimalFormat;
import java.text.DecimalFormatSymbols;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.function.DoubleFunction;
import java.util.stream.LongStream;
import org.jfree.chart.JFreeChart;
import org.jfree.chart.axis.AxisSpace;
import org.jfree.chart.axis.AxisState;
import org.jfree.chart.axis.LogAxis;
import org.jfree.chart.axis.NumberAxis;
import org.jfree.chart.axis.NumberTick;
import org.jfree.chart.axis.NumberTickUnit;
import org.jfree.chart.axis.TickType;
import org.jfree.chart.axis.ValueAxis;
import org.jfree.chart.plot.DatasetRenderingOrder;
import org.jfree.chart.plot.SeriesRenderingOrder;
import org.jfree.chart.plot.XYPlot;
import org.jfree.chart.renderer.xy.XYAreaRenderer;
import org.jfree.chart.renderer.xy.XYLineAndShapeRenderer;
import org.jfree.chart.ui.RectangleEdge;
import org.jfree.chart.ui.RectangleInsets;
import org.jfree.chart.ui.TextAnchor;
import org.jfree.data.xy.XYSeries;
import org.jfree.data.xy.XYSeriesCollection;
import org.jspecify.annotations.Nullable;

/**
 * A chart of curves and points over two axes, in the look of all pictures. What is added later is
 * drawn over what was added before; areas lie below all.
 */
final class XyChart {
  /** Room for the labels of an upright axis, so that charts above each other have one left edge. */
  private static final int LEFT = 84;

  /** Most decades in which an axis is marked at 2 and 5 times their powers of ten, too. */
  private static final double DECADES_MARKED_WITHIN = 3.5;

  private final XYSeriesCollection lines = new XYSeriesCollection();
  private final XYLineAndShapeRenderer renderer = new XYLineAndShapeRenderer();
  private final XYSeriesCollection areas = new XYSeriesCollection();
  private final XYAreaRenderer areaRenderer = new XYAreaRenderer(XYAreaRenderer.AREA);
  private ValueAxis xAxis = axis();
  private ValueAxis yAxis = axis();
  private final @Nullable String xTitle;
  private final String yTitle;

  /** An empty chart; its level axis has no title if {@code xTitle} is null. */
  XyChart(@Nullable String xTitle, String yTitle) {
    this.xTitle = xTitle;
    this.yTitle = yTitle;
    renderer.setDrawSeriesLineAsPath(true); // dashes run on around the corners
  }

  XyChart x(double from, double to) {
    xAxis = linear(from, to);
    return this;
  }

  XyChart y(double from, double to) {
    yAxis = linear(from, to);
    return this;
  }

  /** Marks the upright axis at each multiple of a step. */
  XyChart y(double from, double to, double step) {
    NumberAxis axis = linear(from, to);
    axis.setTickUnit(new NumberTickUnit(step));
    yAxis = axis;
    return this;
  }

  XyChart logarithmicX(double from, double to) {
    xAxis = new Decades(from, to, ChartStyle::tick);
    return this;
  }

  XyChart logarithmicY(double from, double to) {
    return logarithmicY(from, to, ChartStyle::tick);
  }

  XyChart logarithmicY(double from, double to, DoubleFunction<String> label) {
    yAxis = new Decades(from, to, label);
    return this;
  }

  private static NumberAxis linear(double from, double to) {
    NumberAxis axis = axis();
    axis.setRange(from, to > from ? to : from + 1);
    return axis;
  }

  /** An axis that fits what is added. */
  private static NumberAxis axis() {
    var axis = new NumberAxis();
    axis.setAutoRangeIncludesZero(false);
    axis.setStandardTickUnits(NumberAxis.createStandardTickUnits(Locale.ROOT));
    axis.setNumberFormatOverride(
        new DecimalFormat("#,##0.######", DecimalFormatSymbols.getInstance(Locale.ROOT)));
    return axis;
  }

  /** Adds straight lines from point to point; a NaN breaks them off. */
  XyChart line(double[] xs, double[] ys, Color color, BasicStroke stroke) {
    renderer.setSeriesStroke(add(xs, ys, color, true), stroke);
    return this;
  }

  XyChart upright(double x, double from, double to, Color color, BasicStroke stroke) {
    return line(new double[] {x, x}, new double[] {from, to}, color, stroke);
  }

  XyChart level(double y, double from, double to, Color color, BasicStroke stroke) {
    return line(new double[] {from, to}, new double[] {y, y}, color, stroke);
  }

  /** Marks the ends of the measured window, as far as they lie on the axis. */
  XyChart window(RunRows run, double from, double to, double endS) {
    // a run that was stopped in its warm-up has a window without length
    for (long edgeNs : LongStream.of(run.windowStartNs(), run.windowEndNs()).distinct().toArray()) {
      if (edgeNs / 1e9 <= endS) {
        upright(edgeNs / 1e9, from, to, ChartStyle.QUIET, ChartStyle.EDGE);
      }
    }
    return this;
  }

  /** Adds a curve of level and upright pieces alone. */
  XyChart curve(ChartStyle.Steps steps, Color color, BasicStroke stroke) {
    return line(steps.xs(), steps.ys(), color, stroke);
  }

  /** Adds a curve of level and upright pieces, and fills what lies below it. */
  XyChart area(ChartStyle.Steps steps, Color color, BasicStroke stroke, Paint fill) {
    int place = add(areas, steps.xs(), steps.ys());
    areaRenderer.setSeriesPaint(place, fill);
    return curve(steps, color, stroke);
  }

  XyChart points(double[] xs, double[] ys, Color color, Shape marker) {
    renderer.setSeriesShape(add(xs, ys, color, false), marker);
    return this;
  }

  /** Adds triangles on the upper edge, where values are infinite. */
  XyChart infinite(double[] xs, double edge, Color color) {
    double[] ys = new double[xs.length];
    Arrays.fill(ys, edge);
    return points(xs, ys, color, ChartStyle.INFINITE);
  }

  /** Adds a line, or points; returns its place. */
  private int add(double[] xs, double[] ys, Color color, boolean isLine) {
    int place = add(lines, xs, ys);
    renderer.setSeriesLinesVisible(place, isLine);
    renderer.setSeriesShapesVisible(place, !isLine);
    renderer.setSeriesPaint(place, color);
    return place;
  }

  private static int add(XYSeriesCollection all, double[] xs, double[] ys) {
    int place = all.getSeriesCount();
    var series = new XYSeries(place, false, true);
    for (int i = 0; i < xs.length; i++) {
      series.add(xs[i], ys[i], false);
    }
    all.addSeries(series);
    return place;
  }

  JFreeChart chart() {
    style(xAxis, xTitle);
    style(yAxis, yTitle);
    xAxis.setTickLabelInsets(new RectangleInsets(2, 10, 2, 10));
    yAxis.setTickLabelInsets(new RectangleInsets(8, 4, 8, 4)); // not a label on each line
    var plot = ChartStyle.styled(new XYPlot(areas, xAxis, yAxis, areaRenderer));
    plot.setDataset(1, lines);
    plot.setRenderer(1, renderer);
    plot.setDatasetRenderingOrder(DatasetRenderingOrder.FORWARD);
    plot.setSeriesRenderingOrder(SeriesRenderingOrder.FORWARD);
    var space = new AxisSpace();
    space.setLeft(LEFT);
    plot.setFixedRangeAxisSpace(space);
    return ChartStyle.chart(plot, new RectangleInsets(10, 6, 6, 24));
  }

  private static void style(ValueAxis axis, @Nullable String title) {
    axis.setLabel(title);
    ChartStyle.letter(axis);
    axis.setLabelPaint(ChartStyle.INK);
    axis.setTickLabelPaint(ChartStyle.INK);
    axis.setTickMarkPaint(ChartStyle.GRID);
    axis.setAxisLinePaint(ChartStyle.GRID);
  }

  /** A logarithmic axis with a label at 1, 2 and 5 times each power of ten, as there is room. */
  private static final class Decades extends LogAxis {
    private static final long serialVersionUID = 1;

    private final transient DoubleFunction<String> label;

    Decades(double from, double to, DoubleFunction<String> label) {
      this.label = label;
      setRange(from, to);
    }

    @Override
    public List<NumberTick> refreshTicks(
        Graphics2D graphics, AxisState state, Rectangle2D area, RectangleEdge edge) {
      double from = getRange().getLowerBound();
      double to = getRange().getUpperBound();
      double decades = Math.log10(to / from);
      double[] times = decades <= DECADES_MARKED_WITHIN ? new double[] {1, 2, 5} : new double[] {1};
      TextAnchor anchor =
          RectangleEdge.isLeftOrRight(edge) ? TextAnchor.CENTER_RIGHT : TextAnchor.TOP_CENTER;
      List<NumberTick> ticks = new ArrayList<>();
      for (int i = (int) Math.floor(Math.log10(from)); i <= Math.ceil(Math.log10(to)); i++) {
        for (double time : times) {
          double value = time * Math.pow(10, i);
          if (value >= from * 0.999_999 && value <= to * 1.000_001) {
            ticks.add(
                new NumberTick(
                    TickType.MAJOR, value, label.apply(value), anchor, TextAnchor.CENTER, 0));
          }
        }
      }
      return ticks;
    }
  }
}
