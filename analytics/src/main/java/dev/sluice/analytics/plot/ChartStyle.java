package dev.sluice.analytics.plot;

import dev.sluice.analytics.figure.PredictionFigures.UpperBound;
import dev.sluice.analytics.fold.RunRows;
import dev.sluice.analytics.statistic.Decimals;
import java.awt.BasicStroke;
import java.awt.Color;
import java.awt.Font;
import java.awt.Graphics2D;
import java.awt.Paint;
import java.awt.Rectangle;
import java.awt.RenderingHints;
import java.awt.Shape;
import java.awt.TexturePaint;
import java.awt.geom.Ellipse2D;
import java.awt.geom.Rectangle2D;
import java.awt.image.BufferedImage;
import java.util.List;
import java.util.Locale;
import org.jfree.chart.JFreeChart;
import org.jfree.chart.axis.Axis;
import org.jfree.chart.plot.XYPlot;
import org.jfree.chart.ui.RectangleInsets;
import org.jfree.chart.util.ShapeUtils;
import org.jfree.data.xy.XYSeries;

/**
 * Look of all pictures. A class has one color in all of them, and so has a workload; both come from
 * the palette of Okabe and Ito, darkened where white needs it. Each color goes with dashes, a
 * filling or a marker of its own, so that nothing is told by color alone.
 */
public final class ChartStyle {
  public static final int WIDTH = 1200;
  public static final int HEIGHT = 750;
  public static final Color INK = new Color(0x22, 0x22, 0x22);
  public static final Color GRID = new Color(0xdd, 0xdd, 0xdd);
  public static final Color QUIET = new Color(0x77, 0x77, 0x77);

  /** Ink of the notes of a run. */
  static final Color NOTE = new Color(0xa3, 0x3c, 0x00);

  public static final Font TITLE = new Font(Font.SANS_SERIF, Font.BOLD, 18);
  public static final Font TEXT = new Font(Font.SANS_SERIF, Font.PLAIN, 14);

  public static final BasicStroke EDGE =
      new BasicStroke(
          1.6f, BasicStroke.CAP_BUTT, BasicStroke.JOIN_MITER, 10, new float[] {4, 4}, 0);

  /** Least contrast of a color to the white ground, as WCAG 2.2 asks of graphics. */
  static final double CONTRAST_MIN = 3;

  private static final List<Color> OF_CLASSES =
      List.of(
          new Color(0x00, 0x72, 0xb2),
          new Color(0xb8, 0x7f, 0x00),
          new Color(0x00, 0x9e, 0x73),
          new Color(0xcc, 0x79, 0xa7),
          new Color(0x22, 0x22, 0x22));
  private static final List<Color> OF_WORKLOADS =
      List.of(
          new Color(0x00, 0x9e, 0x73),
          new Color(0xcc, 0x79, 0xa7),
          new Color(0x2f, 0x8f, 0xc9),
          new Color(0xd5, 0x5e, 0x00),
          new Color(0x8c, 0x80, 0x00),
          new Color(0x22, 0x22, 0x22));
  // one more than the classes' colors, so that color and dashes together tell thirty classes apart
  private static final float[][] DASHES = {
    {}, {9, 4}, {2, 3}, {12, 3, 2, 3}, {18, 5}, {9, 3, 2, 3, 2, 3}
  };
  private static final int PATTERNS = 5;
  private static final int HATCH = 8;
  private static final List<Shape> MARKERS =
      List.of(
          new Ellipse2D.Double(-3.5, -3.5, 7, 7),
          ShapeUtils.createDiamond(4.5f),
          new Rectangle2D.Double(-3.2, -3.2, 6.4, 6.4),
          ShapeUtils.createUpTriangle(4),
          ShapeUtils.createDiagonalCross(3.2f, 0.8f),
          ShapeUtils.createDownTriangle(4),
          ShapeUtils.createRegularCross(3.8f, 0.8f));

  /** Marker of an infinite value, below the upper edge, on which it stands. */
  static final Shape INFINITE =
      ShapeUtils.createTranslatedShape(ShapeUtils.createUpTriangle(4), 0, 5);

  private ChartStyle() {}

  /** Color of the class at a place in {@link RunRows#classNames()}. */
  public static Color ofClass(int index) {
    return OF_CLASSES.get(index % OF_CLASSES.size());
  }

  /** Color of one of any number of models: first the workloads' colors, then others. */
  static Color ofModel(int index) {
    if (index < OF_WORKLOADS.size()) {
      return OF_WORKLOADS.get(index);
    }
    float hue = (float) (index * 0.618 % 1); // neighbours are far apart
    float brightness = 0.85f;
    Color color = Color.getHSBColor(hue, 0.8f, brightness);
    while (contrast(color) < CONTRAST_MIN) {
      brightness -= 0.05f;
      color = Color.getHSBColor(hue, 0.8f, brightness);
    }
    return color;
  }

  /** Contrast of a color to white by WCAG 2.2, from 1 to 21. */
  static double contrast(Color color) {
    double luminance =
        0.2126 * linear(color.getRed())
            + 0.7152 * linear(color.getGreen())
            + 0.0722 * linear(color.getBlue());
    return 1.05 / (luminance + 0.05);
  }

  private static double linear(int channel) {
    double share = channel / 255.0;
    return share <= 0.04045 ? share / 12.92 : Math.pow((share + 0.055) / 1.055, 2.4);
  }

  /** Stroke of the class, workload or bound at a place: each place has dashes of its own. */
  public static BasicStroke stroke(int index, float width) {
    float[] dashes = DASHES[index % DASHES.length];
    return dashes.length == 0
        ? new BasicStroke(width, BasicStroke.CAP_BUTT, BasicStroke.JOIN_ROUND)
        : new BasicStroke(width, BasicStroke.CAP_BUTT, BasicStroke.JOIN_ROUND, 10, dashes, 0);
  }

  /**
   * Filling of the class, workload or model at a place: its color in a pattern of its own. No
   * pattern is upright, which would look like bars over time, or slanted, as loading is.
   */
  public static Paint fill(int index, Color color) {
    int pattern = (index + index / PATTERNS) % PATTERNS; // not in step with the colors
    if (pattern == 0) {
      return color;
    }
    int size = 12;
    var tile = new BufferedImage(size, size, BufferedImage.TYPE_INT_RGB);
    for (int x = 0; x < size; x++) {
      for (int y = 0; y < size; y++) {
        boolean inked =
            switch (pattern) {
              case 1 -> y % 6 < 3;
              case 2 -> x % 6 < 3 == y % 6 < 3;
              case 3 -> x % 4 > 1 || y % 4 > 1;
              default -> y < 8;
            };
        tile.setRGB(x, y, inked ? color.getRGB() : Color.WHITE.getRGB());
      }
    }
    return new TexturePaint(tile, new Rectangle(0, 0, size, size));
  }

  /** Filling with slanted lines of a color, which says that something is waited for. */
  public static Paint hatched(Color color) {
    var tile = new BufferedImage(HATCH, HATCH, BufferedImage.TYPE_INT_RGB);
    Graphics2D graphics = tile.createGraphics();
    graphics.setRenderingHint(RenderingHints.KEY_ANTIALIASING, RenderingHints.VALUE_ANTIALIAS_ON);
    graphics.setColor(Color.WHITE);
    graphics.fillRect(0, 0, HATCH, HATCH);
    graphics.setColor(color);
    graphics.setStroke(new BasicStroke(2f));
    for (int shift = -HATCH; shift <= HATCH; shift += HATCH) {
      graphics.drawLine(shift - 1, HATCH + 1, shift + HATCH + 1, -1);
    }
    graphics.dispose();
    return new TexturePaint(tile, new Rectangle(HATCH, HATCH));
  }

  /** Marker of the workload at a place. */
  static Shape marker(int index) {
    return MARKERS.get(index % MARKERS.size());
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

  public static Color translucent(Color color, int alpha) {
    return new Color(color.getRed(), color.getGreen(), color.getBlue(), alpha);
  }

  static String title(String subject, RunRows run) {
    return subject
        + " · "
        + run.context().experiment().runName()
        + ", policy "
        + run.context().experiment().scheduling().schedulerName()
        + (run.isEmulated() ? " · emulated lanes" : "")
        + (run.context().simulated() ? " · simulated" : "");
  }

  /** A chart on white, without a title or a legend: the frame around it has them. */
  public static JFreeChart chart(org.jfree.chart.plot.Plot plot, RectangleInsets padding) {
    var chart = new JFreeChart(null, TITLE, plot, false);
    chart.setBackgroundPaint(Color.WHITE);
    chart.setAntiAlias(true);
    chart.setPadding(padding);
    return chart;
  }

  public static XYPlot styled(XYPlot plot) {
    plot.setBackgroundPaint(Color.WHITE);
    plot.setOutlineVisible(false);
    plot.setAxisOffset(RectangleInsets.ZERO_INSETS);
    plot.setDomainGridlinePaint(GRID);
    plot.setDomainGridlineStroke(new BasicStroke(1f));
    plot.setRangeGridlinePaint(GRID);
    plot.setRangeGridlineStroke(new BasicStroke(1f));
    return plot;
  }

  public static void letter(Axis axis) {
    axis.setLabelFont(TEXT);
    axis.setTickLabelFont(TEXT);
  }

  /** A tick's label on a logarithmic axis, as people write it. */
  static String tick(double value) {
    return Decimals.plain(Double.parseDouble(String.format(Locale.ROOT, "%.3g", value)));
  }

  /** Corners of a curve that goes level and then upright, from point to point. */
  static final class Steps {
    private final XYSeries corners = new XYSeries("", false, true);

    Steps(double x, double y) {
      corners.add(x, y);
    }

    /** Goes on level until x, then upright to y; NaN breaks the curve off at x. */
    Steps to(double x, double y) {
      double lastY = corners.getY(corners.getItemCount() - 1).doubleValue();
      if (!Double.isNaN(lastY)) {
        corners.add(x, lastY);
      }
      corners.add(x, y);
      return this;
    }

    double[] xs() {
      return corners.toArray()[0];
    }

    double[] ys() {
      return corners.toArray()[1];
    }
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
