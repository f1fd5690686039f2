package dev.sluice.analytics.plot;

import dev.sluice.analytics.fold.RunRows;
import dev.sluice.analytics.fold.UpperBound;
import dev.sluice.analytics.statistic.Decimals;
import java.awt.BasicStroke;
import java.awt.Color;
import java.awt.Font;
import java.awt.Graphics2D;
import java.awt.RenderingHints;
import java.awt.image.BufferedImage;
import java.util.List;
import java.util.Locale;
import org.knowm.xchart.BitmapEncoder;
import org.knowm.xchart.XYChart;
import org.knowm.xchart.XYChartBuilder;
import org.knowm.xchart.XYSeries;
import org.knowm.xchart.internal.chartpart.IChart;
import org.knowm.xchart.style.AxesChartStyler;
import org.knowm.xchart.style.Styler;
import org.knowm.xchart.style.lines.SeriesLines;
import org.knowm.xchart.style.markers.SeriesMarkers;

/**
 * Look of all pictures. A class has one color in all of them, and so has a workload; both come from
 * the palette of Okabe and Ito, which people with any color vision can tell apart.
 */
final class ChartStyle {
  static final int WIDTH = 1200;
  static final int HEIGHT = 750;
  static final Color INK = new Color(0x22, 0x22, 0x22);
  static final Color GRID = new Color(0xdd, 0xdd, 0xdd);
  static final Color QUIET = new Color(0x77, 0x77, 0x77);
  static final Font TITLE = new Font(Font.SANS_SERIF, Font.BOLD, 18);
  static final Font TEXT = new Font(Font.SANS_SERIF, Font.PLAIN, 14);

  private static final List<Color> OF_CLASSES =
      List.of(
          new Color(0x00, 0x72, 0xb2),
          new Color(0xe6, 0x9f, 0x00),
          new Color(0x00, 0x9e, 0x73),
          new Color(0xcc, 0x79, 0xa7),
          new Color(0x22, 0x22, 0x22));
  private static final List<Color> OF_WORKLOADS =
      List.of(
          new Color(0x00, 0x9e, 0x73),
          new Color(0xcc, 0x79, 0xa7),
          new Color(0x56, 0xb4, 0xe9),
          new Color(0xd5, 0x5e, 0x00),
          new Color(0xf0, 0xe4, 0x42),
          new Color(0x22, 0x22, 0x22));

  private ChartStyle() {}

  /** Color of the class at a place in {@link RunRows#classNames()}. */
  static Color ofClass(int index) {
    return OF_CLASSES.get(index % OF_CLASSES.size());
  }

  /** Color of one of any number of models: first the workloads' colors, then others. */
  static Color ofModel(int index) {
    float hue = (float) (index * 0.618 % 1); // neighbours are far apart
    return index < OF_WORKLOADS.size()
        ? OF_WORKLOADS.get(index)
        : Color.getHSBColor(hue, 0.45f, 0.8f);
  }

  /** Color of the workload at a place in {@link RunRows#workloadNames()}. */
  static Color ofWorkload(int index) {
    return OF_WORKLOADS.get(index % OF_WORKLOADS.size());
  }

  static Color ofBound(UpperBound bound) {
    return switch (bound) {
      case P95 -> OF_CLASSES.get(0);
      case P99 -> OF_CLASSES.get(1);
    };
  }

  static Color translucent(Color color, int alpha) {
    return new Color(color.getRed(), color.getGreen(), color.getBlue(), alpha);
  }

  static String title(String subject, RunRows run) {
    return subject
        + " · "
        + run.context().experiment().runName()
        + ", policy "
        + run.context().experiment().scheduling().schedulerName()
        + (run.isEmulated() ? " · emulated lanes" : "")
        + (run.isSimulated() ? " · simulated" : "");
  }

  /** An empty chart of curves or points, in this style. */
  static XYChart xyChart(String subject, RunRows run, String xAxisTitle, String yAxisTitle) {
    return xyChart(title(subject, run), xAxisTitle, yAxisTitle);
  }

  /** An empty chart of curves or points, in this style, under a title of its own. */
  static XYChart xyChart(String title, String xAxisTitle, String yAxisTitle) {
    XYChart chart =
        new XYChartBuilder()
            .width(WIDTH)
            .height(HEIGHT)
            .title(title)
            .xAxisTitle(xAxisTitle)
            .yAxisTitle(yAxisTitle)
            .build();
    apply(chart.getStyler());
    return chart;
  }

  static void apply(AxesChartStyler styler) {
    styler.setChartBackgroundColor(Color.WHITE);
    styler.setPlotBackgroundColor(Color.WHITE);
    styler.setPlotBorderVisible(false);
    styler.setChartFontColor(INK);
    styler.setChartTitleFont(TITLE);
    styler.setChartTitleBoxVisible(false);
    styler.setChartTitlePadding(14);
    styler.setChartPadding(16);
    styler.setLegendPosition(Styler.LegendPosition.OutsideS);
    styler.setLegendLayout(Styler.LegendLayout.Horizontal);
    styler.setLegendBorderColor(Color.WHITE);
    styler.setLegendFont(TEXT);
    styler.setAxisTitleFont(TEXT);
    styler.setAxisTickLabelsFont(TEXT);
    styler.setAxisTickMarksColor(GRID);
    styler.setAxisTickLabelsColor(INK);
    styler.setPlotGridLinesColor(GRID);
    styler.setPlotGridLinesStroke(new BasicStroke(1f));
    styler.setPlotMargin(0);
    styler.setLocale(Locale.ROOT);
    styler.setAntiAlias(true);
  }

  /** A tick's label on a logarithmic axis, as people write it. */
  static String tick(double value) {
    return Decimals.plain(Double.parseDouble(String.format(Locale.ROOT, "%.3g", value)));
  }

  /** A straight line from one point to another, dashed, without markers. */
  static void dashedLine(
      XYChart chart, String name, double[] xs, double[] ys, Color color, boolean inLegend) {
    XYSeries line = chart.addSeries(name, xs, ys);
    line.setMarker(SeriesMarkers.NONE);
    line.setXYSeriesRenderStyle(XYSeries.XYSeriesRenderStyle.Line);
    line.setLineStyle(SeriesLines.DASH_DASH);
    line.setLineWidth(1.6f);
    line.setLineColor(color);
    line.setShowInLegend(inLegend);
  }

  static BufferedImage image(IChart chart) {
    return BitmapEncoder.getBufferedImage(chart);
  }

  /** A picture that says that there is nothing to show. */
  static BufferedImage noData(String title) {
    var image = new BufferedImage(WIDTH, HEIGHT, BufferedImage.TYPE_INT_RGB);
    Graphics2D graphics = image.createGraphics();
    graphics.setRenderingHint(
        RenderingHints.KEY_TEXT_ANTIALIASING, RenderingHints.VALUE_TEXT_ANTIALIAS_ON);
    graphics.setColor(Color.WHITE);
    graphics.fillRect(0, 0, WIDTH, HEIGHT);
    graphics.setColor(INK);
    graphics.setFont(TITLE);
    centred(graphics, title, 46);
    graphics.setColor(QUIET);
    graphics.setFont(TITLE.deriveFont(Font.PLAIN, 24f));
    centred(graphics, "no data", HEIGHT / 2);
    graphics.dispose();
    return image;
  }

  private static void centred(Graphics2D graphics, String text, int y) {
    graphics.drawString(text, (WIDTH - graphics.getFontMetrics().stringWidth(text)) / 2, y);
  }

  /** The largest of 1, 2 and 5 times a power of ten that is not above value. */
  static double niceBelow(double value) {
    double decade = Math.pow(10, Math.floor(Math.log10(value)));
    double times = value / decade;
    return decade * (times >= 5 ? 5 : times >= 2 ? 2 : 1);
  }

  /** The smallest of 1, 2 and 5 times a power of ten that is above value. */
  static double niceAbove(double value) {
    double decade = Math.pow(10, Math.floor(Math.log10(value)));
    double times = value / decade;
    return decade * (times < 2 ? 2 : times < 5 ? 5 : 10);
  }
}
