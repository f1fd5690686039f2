package dev.sluice.analytics.plot;

import java.awt.BasicStroke;
import java.awt.Color;
import java.awt.Font;
import java.awt.Paint;
import java.text.NumberFormat;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jfree.chart.JFreeChart;
import org.jfree.chart.axis.CategoryAxis;
import org.jfree.chart.axis.CategoryLabelPositions;
import org.jfree.chart.axis.LogAxis;
import org.jfree.chart.axis.NumberAxis;
import org.jfree.chart.axis.NumberTickUnit;
import org.jfree.chart.axis.ValueAxis;
import org.jfree.chart.labels.ItemLabelAnchor;
import org.jfree.chart.labels.ItemLabelPosition;
import org.jfree.chart.labels.StandardCategoryItemLabelGenerator;
import org.jfree.chart.plot.CategoryPlot;
import org.jfree.chart.plot.DatasetRenderingOrder;
import org.jfree.chart.plot.ValueMarker;
import org.jfree.chart.renderer.category.BarRenderer;
import org.jfree.chart.renderer.category.CategoryItemRenderer;
import org.jfree.chart.renderer.category.LevelRenderer;
import org.jfree.chart.renderer.category.StandardBarPainter;
import org.jfree.chart.ui.Layer;
import org.jfree.chart.ui.RectangleInsets;
import org.jfree.chart.ui.TextAnchor;
import org.jfree.data.category.CategoryDataset;
import org.jfree.data.category.DefaultCategoryDataset;

/** Bars side by side in groups, each with its value above it, and marks across them. */
public final class Bars {
  private static final double MARGIN = 0.08;
  private static final int LABEL_WIDTH = 52;
  private static final int LABEL_HEIGHT = 15;
  private static final float UPRIGHT_NAME_MAX = 0.6f;
  private static final int LETTER_WIDTH = 8;
  private static final int AXES_WIDTH = 120;

  private final List<String> groups;
  private final List<Series> series = new ArrayList<>();
  private final List<Mark> marks = new ArrayList<>();
  private final List<Double> levels = new ArrayList<>();

  /** A bar up to a height (NaN: none) with words above it; hollow if it stands for no number. */
  public record Bar(double height, String label, boolean hollow) {}

  private record Series(Color color, Paint fill, List<Bar> bars) {}

  private record Mark(int series, double height) {}

  /** Bars in groups with these names along the axis. */
  public Bars(List<String> groups) {
    this.groups = List.copyOf(groups);
  }

  public void add(Color color, Paint fill, List<Bar> bars) {
    series.add(new Series(color, fill, bars));
  }

  /** Marks a height across all bars of the series that was added last. */
  void mark(double height) {
    marks.add(new Mark(series.size() - 1, height));
  }

  /** Draws a line through all groups, behind the bars. */
  public void level(double height) {
    levels.add(height);
  }

  static BasicStroke markStroke() {
    return new BasicStroke(3f);
  }

  JFreeChart logarithmic(String axisTitle, String groupsTitle, double from, double to) {
    var axis = new LogAxis(axisTitle);
    axis.setSmallestValue(from);
    axis.setRange(from, to);
    axis.setTickUnit(new NumberTickUnit(1)); // powers of ten
    axis.setNumberFormatOverride(plain());
    return chart(axis, groupsTitle, from);
  }

  /** The bars as a chart whose axis goes from 0 to {@code to}. */
  public JFreeChart linear(String axisTitle, String groupsTitle, double to) {
    var axis = new NumberAxis(axisTitle);
    axis.setRange(0, to);
    return chart(axis, groupsTitle, 0);
  }

  private static NumberFormat plain() {
    NumberFormat format = NumberFormat.getInstance(Locale.ROOT);
    format.setMaximumFractionDigits(3);
    return format;
  }

  private JFreeChart chart(ValueAxis axis, String groupsTitle, double base) {
    var dataset = new DefaultCategoryDataset();
    for (int i = 0; i < series.size(); i++) {
      for (int j = 0; j < groups.size(); j++) {
        dataset.addValue(series.get(i).bars().get(j).height(), Integer.valueOf(i), groups.get(j));
      }
    }
    var names = new CategoryAxis(groupsTitle.isEmpty() ? null : groupsTitle);
    names.setMaximumCategoryLabelLines(3);
    double groupRoom = (double) (ChartStyle.WIDTH - AXES_WIDTH) / groups.size();
    if (groups.stream().anyMatch(group -> group.length() * LETTER_WIDTH > groupRoom)) {
      names.setCategoryLabelPositions(CategoryLabelPositions.UP_90);
      names.setMaximumCategoryLabelLines(1);
      names.setMaximumCategoryLabelWidthRatio(UPRIGHT_NAME_MAX);
    }
    ChartStyle.letter(names);
    ChartStyle.letter(axis);
    var plot = new CategoryPlot(dataset, names, axis, renderer(base));
    for (int i = 0; i < marks.size(); i++) {
      plot.setDataset(i + 1, dataset(marks.get(i)));
      plot.setRenderer(i + 1, markRenderer());
    }
    for (double height : levels) {
      plot.addRangeMarker(
          new ValueMarker(height, ChartStyle.INK, ChartStyle.EDGE), Layer.BACKGROUND);
    }
    // marks over bars
    plot.setDatasetRenderingOrder(DatasetRenderingOrder.FORWARD);
    plot.setBackgroundPaint(Color.WHITE);
    plot.setRangeGridlinePaint(ChartStyle.GRID);
    plot.setRangeGridlineStroke(new BasicStroke(1f));
    plot.setOutlineVisible(false);
    plot.setAxisOffset(RectangleInsets.ZERO_INSETS);
    return ChartStyle.chart(plot, new RectangleInsets(10, 14, 6, 20));
  }

  /** A dataset with a row for each series, since rows decide where a bar stands in its group. */
  private DefaultCategoryDataset dataset(Mark mark) {
    var dataset = new DefaultCategoryDataset();
    for (int i = 0; i < series.size(); i++) {
      for (String group : groups) {
        dataset.addValue(i == mark.series() ? mark.height() : null, Integer.valueOf(i), group);
      }
    }
    return dataset;
  }

  private BarRenderer renderer(double base) {
    var renderer =
        new BarRenderer() {
          @Override
          public Paint getItemPaint(int row, int column) {
            Series of = series.get(row);
            return of.bars().get(column).hollow() ? Color.WHITE : of.fill();
          }

          @Override
          public Paint getItemOutlinePaint(int row, int column) {
            return series.get(row).color();
          }
        };
    renderer.setBase(base);
    renderer.setIncludeBaseInRange(false);
    renderer.setBarPainter(new StandardBarPainter());
    renderer.setShadowVisible(false);
    renderer.setItemMargin(MARGIN);
    renderer.setDrawBarOutline(true);
    renderer.setDefaultOutlineStroke(new BasicStroke(1.4f));
    int bars = Math.max(1, series.size() * groups.size());
    double room = (ChartStyle.WIDTH - AXES_WIDTH) * (1 - MARGIN) * 0.85 / bars;
    labels(renderer, room);
    return renderer;
  }

  /** Shows values: level where there is room for them, else upright, else not at all. */
  private void labels(CategoryItemRenderer renderer, double room) {
    if (room < LABEL_HEIGHT) {
      return;
    }
    renderer.setDefaultItemLabelGenerator(
        new StandardCategoryItemLabelGenerator() {
          @Override
          public String generateLabel(CategoryDataset dataset, int row, int column) {
            return series.get(row).bars().get(column).label();
          }
        });
    renderer.setDefaultItemLabelsVisible(true);
    renderer.setDefaultItemLabelFont(ChartStyle.TEXT.deriveFont(Font.PLAIN, 13f));
    renderer.setDefaultItemLabelPaint(ChartStyle.INK);
    boolean upright = room < LABEL_WIDTH;
    renderer.setDefaultPositiveItemLabelPosition(
        new ItemLabelPosition(
            ItemLabelAnchor.OUTSIDE12,
            upright ? TextAnchor.CENTER_LEFT : TextAnchor.BOTTOM_CENTER,
            upright ? TextAnchor.CENTER_LEFT : TextAnchor.CENTER,
            upright ? -Math.PI / 2 : 0));
  }

  private static LevelRenderer markRenderer() {
    var renderer = new LevelRenderer();
    renderer.setItemMargin(MARGIN);
    renderer.setAutoPopulateSeriesPaint(false);
    renderer.setAutoPopulateSeriesStroke(false);
    renderer.setDefaultPaint(ChartStyle.INK);
    renderer.setDefaultStroke(markStroke());
    return renderer;
  }
}
