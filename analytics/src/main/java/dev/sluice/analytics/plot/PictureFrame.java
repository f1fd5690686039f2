package dev.sluice.analytics.plot;

import java.awt.BasicStroke;
import java.awt.Color;
import java.awt.Font;
import java.awt.FontMetrics;
import java.awt.Graphics2D;
import java.awt.Paint;
import java.awt.Rectangle;
import java.awt.RenderingHints;
import java.awt.Shape;
import java.awt.geom.Line2D;
import java.awt.image.BufferedImage;
import java.util.ArrayList;
import java.util.List;
import org.jfree.chart.JFreeChart;
import org.jfree.chart.ui.Drawable;
import org.jfree.chart.util.ShapeUtils;

/**
 * Texts around the charts of a picture: its title and the notes of its run above, its legend below,
 * each in as many lines as it needs, so that none is ever cut off. A picture with a very long
 * legend is higher than {@link ChartStyle#HEIGHT}.
 */
public final class PictureFrame {
  private static final int MARGIN = 24;
  private static final int SAMPLE = 40;
  private static final int GAP = 8;
  private static final int BETWEEN = 28;
  private static final int LINE = 22;
  private static final int TITLE_LINE = 26;
  private static final int NOTE_LINE = 20;
  private static final int BODY_MIN = 470;

  private String title;
  private final List<String> notes;
  private final List<Entry> legend = new ArrayList<>();

  /** A name, and what draws a sample of its line, filling or marker into a box. */
  private record Entry(String name, Drawable sample, int sampleWidth) {}

  /** A line of an entry at its place in the legend. */
  private record Placed(int x, int line, Entry entry, String text, boolean first) {}

  public PictureFrame(String title) {
    this(title, List.of());
  }

  /** Notes say below the title what a reader must know of all numbers shown. */
  PictureFrame(String title, List<String> notes) {
    this.title = title;
    this.notes = List.copyOf(notes);
  }

  PictureFrame titled(String text) {
    title += " · " + text;
    return this;
  }

  public PictureFrame line(String name, Color color, BasicStroke stroke) {
    return add(
        name,
        SAMPLE,
        (graphics, box) -> {
          graphics.setColor(color);
          graphics.setStroke(stroke);
          graphics.draw(
              new Line2D.Double(box.getX(), box.getCenterY(), box.getMaxX(), box.getCenterY()));
        });
  }

  public PictureFrame fill(String name, Color color, Paint paint) {
    return add(
        name,
        24,
        (graphics, box) -> {
          graphics.setPaint(paint);
          graphics.fill(box);
          graphics.setColor(color);
          graphics.setStroke(new BasicStroke(1.4f));
          graphics.draw(box);
        });
  }

  /** Explains the triangles of {@link XyChart#infinite}. */
  public PictureFrame infinite() {
    return marker(
        "infinite: falls on a job that was not done",
        ChartStyle.INK,
        ShapeUtils.createUpTriangle(4));
  }

  public PictureFrame marker(String name, Color color, Shape marker) {
    return add(
        name,
        12,
        (graphics, box) -> {
          graphics.setColor(color);
          graphics.fill(
              ShapeUtils.createTranslatedShape(marker, box.getCenterX(), box.getCenterY()));
        });
  }

  public PictureFrame note(String text) {
    return add(text, -GAP, (graphics, box) -> {});
  }

  private PictureFrame add(String name, int sampleWidth, Drawable sample) {
    legend.add(new Entry(name, sample, sampleWidth));
    return this;
  }

  BufferedImage beside(XyChart... charts) {
    return around(
        (graphics, area) -> {
          int width = ChartStyle.WIDTH / charts.length;
          for (int i = 0; i < charts.length; i++) {
            charts[i]
                .chart()
                .draw(graphics, new Rectangle(i * width, 0, width, (int) area.getHeight()));
          }
        });
  }

  /** The picture of charts one above the other; the last has more room, for the axis below it. */
  BufferedImage above(XyChart... charts) {
    int axis = 20;
    return around(
        (graphics, area) -> {
          int height = (int) area.getHeight();
          int each = (height - axis) / charts.length;
          for (int i = 0; i < charts.length; i++) {
            int own = i == charts.length - 1 ? height - i * each : each;
            charts[i].chart().draw(graphics, new Rectangle(0, i * each, ChartStyle.WIDTH, own));
          }
        });
  }

  public BufferedImage above(JFreeChart... charts) {
    return around(
        (graphics, area) -> {
          int each = (int) area.getHeight() / charts.length;
          for (int i = 0; i < charts.length; i++) {
            charts[i].draw(graphics, new Rectangle(0, i * each, ChartStyle.WIDTH, each));
          }
        });
  }

  public BufferedImage saying(String words) {
    return around(
        (graphics, area) -> {
          graphics.setColor(ChartStyle.QUIET);
          graphics.setFont(ChartStyle.TITLE.deriveFont(Font.PLAIN, 24f));
          centred(graphics, words, (int) area.getHeight() / 2);
        });
  }

  /** The picture of a chart, or of another body as wide as {@link ChartStyle#WIDTH}. */
  public BufferedImage around(Drawable body) {
    return around(body, BODY_MIN, ChartStyle.HEIGHT);
  }

  /** The picture of a chart that is itself as high as these pixels. */
  BufferedImage around(JFreeChart chart, int height) {
    return around(chart, height, 0);
  }

  /** The picture, in which neither the body nor the whole is lower than these pixels. */
  private BufferedImage around(Drawable body, int bodyMin, int heightMin) {
    Graphics2D measuring = new BufferedImage(1, 1, BufferedImage.TYPE_INT_RGB).createGraphics();
    int inside = ChartStyle.WIDTH - 2 * MARGIN;
    List<String> titles = lines(title, measuring.getFontMetrics(ChartStyle.TITLE), inside);
    List<String> noteLines =
        notes.isEmpty()
            ? List.of()
            : lines(String.join(" · ", notes), measuring.getFontMetrics(ChartStyle.TEXT), inside);
    List<Placed> placed = placed(measuring.getFontMetrics(ChartStyle.TEXT), inside);
    measuring.dispose();
    int legendLines = placed.isEmpty() ? 0 : placed.get(placed.size() - 1).line() + 1;
    int notesTop = 10 + TITLE_LINE * titles.size();
    int top = notesTop + 8 + NOTE_LINE * noteLines.size();
    int bottom = 14 + LINE * legendLines;
    int height = Math.max(heightMin, top + bodyMin + bottom);
    var image = new BufferedImage(ChartStyle.WIDTH, height, BufferedImage.TYPE_INT_RGB);
    Graphics2D graphics = image.createGraphics();
    graphics.setRenderingHint(RenderingHints.KEY_ANTIALIASING, RenderingHints.VALUE_ANTIALIAS_ON);
    graphics.setRenderingHint(
        RenderingHints.KEY_TEXT_ANTIALIASING, RenderingHints.VALUE_TEXT_ANTIALIAS_ON);
    graphics.setColor(Color.WHITE);
    graphics.fillRect(0, 0, ChartStyle.WIDTH, height);
    graphics.setColor(ChartStyle.INK);
    graphics.setFont(ChartStyle.TITLE);
    for (int i = 0; i < titles.size(); i++) {
      centred(graphics, titles.get(i), 10 + TITLE_LINE * (i + 1));
    }
    graphics.setColor(ChartStyle.NOTE);
    graphics.setFont(ChartStyle.TEXT);
    for (int i = 0; i < noteLines.size(); i++) {
      centred(graphics, noteLines.get(i), notesTop + 3 + NOTE_LINE * (i + 1));
    }
    graphics.translate(0, top);
    body.draw(graphics, new Rectangle(ChartStyle.WIDTH, height - top - bottom));
    graphics.translate(0, height - top - bottom);
    draw(graphics, placed);
    graphics.dispose();
    return image;
  }

  private static void draw(Graphics2D graphics, List<Placed> placed) {
    graphics.setFont(ChartStyle.TEXT);
    for (Placed entry : placed) {
      int x = MARGIN + entry.x();
      int y = LINE * entry.line();
      int width = entry.entry().sampleWidth();
      if (entry.first()) {
        entry.entry().sample().draw(graphics, new Rectangle(x, y + 4, width, 12));
      }
      graphics.setColor(ChartStyle.INK);
      graphics.drawString(entry.text(), x + width + GAP, y + 15);
    }
  }

  private List<Placed> placed(FontMetrics metrics, int inside) {
    List<Placed> placed = new ArrayList<>();
    int x = 0;
    int line = 0;
    for (Entry entry : legend) {
      int before = entry.sampleWidth() + GAP;
      int width = before + metrics.stringWidth(entry.name());
      if (x > 0 && x + width > inside) {
        x = 0;
        line++;
      }
      List<String> lines = lines(entry.name(), metrics, inside - before);
      for (int i = 0; i < lines.size(); i++) {
        line += i == 0 ? 0 : 1;
        placed.add(new Placed(x, line, entry, lines.get(i), i == 0));
      }
      x = lines.size() > 1 ? inside : x + width + BETWEEN;
    }
    return placed;
  }

  /** Breaks a text between words, and a word that is too long anywhere. */
  static List<String> lines(String text, FontMetrics metrics, int width) {
    List<String> lines = new ArrayList<>();
    String rest = text;
    while (metrics.stringWidth(rest) > width) {
      int end = 1;
      while (metrics.stringWidth(rest.substring(0, end + 1)) <= width) {
        end++;
      }
      int space = rest.lastIndexOf(' ', end);
      int cut = space > 0 ? space : end;
      lines.add(rest.substring(0, cut));
      rest = rest.substring(cut).stripLeading();
    }
    lines.add(rest);
    return lines;
  }

  private static void centred(Graphics2D graphics, String text, int y) {
    int width = graphics.getFontMetrics().stringWidth(text);
    graphics.drawString(text, (ChartStyle.WIDTH - width) / 2, y);
  }
}
