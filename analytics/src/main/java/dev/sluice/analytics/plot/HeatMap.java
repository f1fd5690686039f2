package dev.sluice.analytics.plot;

import dev.sluice.analytics.statistic.Decimals;
import java.awt.BasicStroke;
import java.awt.Color;
import java.awt.Font;
import java.awt.FontMetrics;
import java.awt.GradientPaint;
import java.awt.Graphics2D;
import java.awt.Rectangle;
import java.awt.geom.Rectangle2D;
import java.util.ArrayList;
import java.util.DoubleSummaryStatistics;
import java.util.List;

/**
 * A figure over two keys: a field for each pair of values, darker for greater, with its number in
 * it. A field without a number is hatched, and says why; it has no color of the scale.
 *
 * @param xName what the columns are values of
 * @param yName what the rows are values of; empty: there is one row, without a name
 * @param fields rows of fields, as many as there are names of rows, each as long as the columns
 */
public record HeatMap(
    String title,
    String xName,
    String yName,
    List<String> columns,
    List<String> rows,
    List<List<HeatMap.Field>> fields) {
  private static final Color LIGHT = new Color(0xe8, 0xf1, 0xfa);
  private static final Color DARK = new Color(0x08, 0x30, 0x6b);
  private static final int RIGHT = 150;
  private static final int TOP = 14;
  private static final int BOTTOM = 84;
  private static final int NAMES_MAX = 320;
  private static final int GAP = 3;

  /** Least ratio of the greatest to the least number for which colors are logarithmic. */
  private static final double LOGARITHMIC_FROM = 20;

  /** A number (NaN: none), and what stands in its field, line by line. */
  public record Field(double value, String text) {
    /** A field of a pair of values that was not asked for. */
    public static final Field EXCLUDED = new Field(Double.NaN, "excluded");
  }

  public byte[] png() {
    return Picture.png(new PictureFrame(title).around(this::draw));
  }

  private void draw(Graphics2D graphics, Rectangle2D whole) {
    int height = (int) whole.getHeight();
    graphics.setFont(ChartStyle.TEXT);
    FontMetrics metrics = graphics.getFontMetrics();
    int names = rows.stream().mapToInt(metrics::stringWidth).max().orElse(0);
    int left = 60 + Math.min(NAMES_MAX, names);
    var area = new Rectangle(left, TOP, ChartStyle.WIDTH - left - RIGHT, height - TOP - BOTTOM);
    double[] range = range();
    for (int row = 0; row < rows.size(); row++) {
      for (int column = 0; column < columns.size(); column++) {
        draw(graphics, box(area, row, column), fields.get(row).get(column), range);
      }
    }
    drawNames(graphics, area, metrics);
    drawScale(graphics, area, range);
  }

  private Rectangle box(Rectangle area, int row, int column) {
    int x = area.x + area.width * column / columns.size();
    int y = area.y + area.height * row / rows.size();
    int right = area.x + area.width * (column + 1) / columns.size();
    int below = area.y + area.height * (row + 1) / rows.size();
    return new Rectangle(x, y, Math.max(1, right - x - GAP), Math.max(1, below - y - GAP));
  }

  /** The least and the greatest number; infinite if no field has one. */
  private double[] range() {
    DoubleSummaryStatistics numbers =
        fields.stream()
            .flatMap(List::stream)
            .mapToDouble(Field::value)
            .filter(value -> !Double.isNaN(value))
            .summaryStatistics();
    return new double[] {numbers.getMin(), numbers.getMax()};
  }

  private static boolean isLogarithmic(double[] range) {
    return range[0] > 0 && range[1] / range[0] >= LOGARITHMIC_FROM;
  }

  private static double share(double value, double[] range) {
    if (range[1] <= range[0]) {
      return 0;
    }
    return isLogarithmic(range)
        ? Math.log(value / range[0]) / Math.log(range[1] / range[0])
        : (value - range[0]) / (range[1] - range[0]);
  }

  static Color color(double share) {
    return new Color(
        mixed(LIGHT.getRed(), DARK.getRed(), share),
        mixed(LIGHT.getGreen(), DARK.getGreen(), share),
        mixed(LIGHT.getBlue(), DARK.getBlue(), share));
  }

  private static int mixed(int from, int to, double share) {
    return (int) Math.round(from + share * (to - from));
  }

  /** White on dark colors, ink on light ones: whichever stands out more. */
  static Color ink(Color ground) {
    double white = ChartStyle.contrast(ground);
    double ink = ChartStyle.contrast(ChartStyle.INK) / white;
    return white > ink ? Color.WHITE : ChartStyle.INK;
  }

  private static void draw(Graphics2D graphics, Rectangle box, Field field, double[] range) {
    Color ground = Color.WHITE;
    if (field.equals(Field.EXCLUDED)) {
      graphics.setColor(ChartStyle.QUIET);
      graphics.setStroke(ChartStyle.EDGE);
      graphics.draw(box);
    } else if (Double.isNaN(field.value())) {
      hatch(graphics, box);
    } else {
      ground = color(share(field.value(), range));
      graphics.setColor(ground);
      graphics.fill(box);
    }
    write(graphics, box, field, ground);
  }

  private static void hatch(Graphics2D graphics, Rectangle box) {
    var clip = graphics.getClip();
    graphics.clip(box);
    graphics.setColor(ChartStyle.GRID);
    graphics.setStroke(new BasicStroke(2f));
    for (int x = box.x - box.height; x < box.x + box.width; x += 10) {
      graphics.drawLine(x, box.y + box.height, x + box.height, box.y);
    }
    graphics.setClip(clip);
    graphics.setColor(ChartStyle.QUIET);
    graphics.setStroke(new BasicStroke(1.2f));
    graphics.draw(box);
  }

  /**
   * Writes into a box, in smaller letters where it is narrow, and nothing where even they do not
   * fit.
   */
  private static void write(Graphics2D graphics, Rectangle box, Field field, Color ground) {
    for (float points : new float[] {20, 16, 13, 10}) {
      Font font = ChartStyle.TEXT.deriveFont(Font.BOLD, points);
      FontMetrics metrics = graphics.getFontMetrics(font);
      List<String> lines = new ArrayList<>();
      for (String line : field.text().lines().toList()) {
        lines.addAll(
            Double.isNaN(field.value())
                ? PictureFrame.lines(
                    line, metrics, Math.max(box.width - 8, metrics.charWidth('m') * 2))
                : List.of(line));
      }
      int widest = lines.stream().mapToInt(metrics::stringWidth).max().orElse(0);
      int high = metrics.getHeight() * lines.size();
      if (widest > box.width - 6 || high > box.height - 2) {
        continue;
      }
      graphics.setFont(font);
      int y = box.y + (box.height - high) / 2 + metrics.getAscent();
      for (String line : lines) {
        int x = box.x + (box.width - metrics.stringWidth(line)) / 2;
        if (Double.isNaN(field.value())) {
          graphics.setColor(Color.WHITE); // words are read over the hatching
          graphics.fillRect(
              x - 3, y - metrics.getAscent(), metrics.stringWidth(line) + 6, metrics.getHeight());
        }
        graphics.setColor(ink(ground));
        graphics.drawString(line, x, y);
        y += metrics.getHeight();
      }
      return;
    }
  }

  private void drawNames(Graphics2D graphics, Rectangle area, FontMetrics metrics) {
    graphics.setFont(ChartStyle.TEXT);
    graphics.setColor(ChartStyle.INK);
    for (int row = 0; row < rows.size(); row++) {
      Rectangle box = box(area, row, 0);
      if (box.height < metrics.getAscent() && row % 2 == 1) {
        continue;
      }
      String name = PictureFrame.lines(rows.get(row), metrics, NAMES_MAX).get(0);
      graphics.drawString(
          name,
          area.x - 12 - metrics.stringWidth(name),
          box.y + (box.height + metrics.getAscent()) / 2 - 2);
    }
    int below = area.y + area.height;
    int[] free = {Integer.MIN_VALUE, Integer.MIN_VALUE}; // of two lines
    for (int column = 0; column < columns.size(); column++) {
      Rectangle box = box(area, 0, column);
      String name = columns.get(column);
      int x = box.x + (box.width - metrics.stringWidth(name)) / 2;
      int line = x >= free[0] ? 0 : 1;
      if (x >= free[line]) {
        graphics.drawString(name, x, below + 20 + line * metrics.getHeight());
        free[line] = x + metrics.stringWidth(name) + 10;
      }
    }
    int x = area.x + (area.width - metrics.stringWidth(xName)) / 2;
    graphics.drawString(xName, Math.max(4, x), below + 60);
    var upright = graphics.getTransform();
    graphics.rotate(-Math.PI / 2);
    int middle = area.y + (area.height + metrics.stringWidth(yName)) / 2;
    graphics.drawString(yName, -Math.min(middle, below), 24);
    graphics.setTransform(upright);
  }

  private static void drawScale(Graphics2D graphics, Rectangle area, double[] range) {
    if (range[1] < range[0]) {
      return; // no field has a number
    }
    int x = area.x + area.width + 24;
    var bar = new Rectangle(x, area.y + 10, 18, area.height - 40);
    graphics.setPaint(
        new GradientPaint(bar.x, bar.y, color(1), bar.x, (float) bar.y + bar.height, color(0)));
    graphics.fill(bar);
    graphics.setColor(ChartStyle.INK);
    graphics.setFont(ChartStyle.TEXT);
    graphics.drawString(Decimals.short3(range[1]), bar.x + 26, bar.y + 12);
    graphics.drawString(Decimals.short3(range[0]), bar.x + 26, bar.y + bar.height);
    if (isLogarithmic(range)) {
      graphics.drawString("logarithmic", bar.x, bar.y + bar.height + 24);
    }
  }
}
