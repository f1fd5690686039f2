package dev.sluice.analytics.plot;

import java.awt.BasicStroke;
import java.awt.Color;
import java.awt.Paint;
import java.util.List;
import org.jfree.chart.JFreeChart;
import org.jfree.chart.axis.NumberAxis;
import org.jfree.chart.axis.SymbolAxis;
import org.jfree.chart.plot.XYPlot;
import org.jfree.chart.renderer.xy.StandardXYBarPainter;
import org.jfree.chart.renderer.xy.XYBarRenderer;
import org.jfree.chart.ui.RectangleInsets;
import org.jfree.data.xy.XYIntervalSeries;
import org.jfree.data.xy.XYIntervalSeriesCollection;

/** Bars over time, in a row for each lane or GPU, colored by what ran. */
public final class TimelineChart {
  /** Room around a chart of bars over time. */
  public static final RectangleInsets PADDING = new RectangleInsets(14, 14, 14, 20);

  private static final double HALF_A_BAR = 0.38;
  private static final double ROWS_MARGIN = 0.1;
  private static final int ROW_HEIGHT = 36;
  private static final int AXIS_HEIGHT = 81;
  private static final int HEIGHT_MAX = 1_500;

  private final XYIntervalSeriesCollection all = new XYIntervalSeriesCollection();
  private final XYBarRenderer renderer = new XYBarRenderer();

  public TimelineChart() {
    renderer.setUseYInterval(true);
    renderer.setShadowVisible(false);
    renderer.setBarPainter(new StandardXYBarPainter());
    renderer.setDrawBarOutline(true);
  }

  /** Height in pixels: each row has the same room, and less where there are very many. */
  static int height(int rows) {
    return (int)
        Math.min(HEIGHT_MAX, Math.round(AXIS_HEIGHT + ROW_HEIGHT * (rows + 2 * ROWS_MARGIN)));
  }

  /** Adds a bar to a series; it must lie within the times shown, or it is left out. */
  public static void bar(XYIntervalSeries bars, double fromSeconds, double toSeconds, int row) {
    bars.add(fromSeconds, fromSeconds, toSeconds, row, row - HALF_A_BAR, row + HALF_A_BAR);
  }

  /** Adds bars, drawn over those added before. */
  public void add(XYIntervalSeries bars, Paint paint) {
    int place = all.getSeriesCount();
    renderer.setSeriesPaint(place, paint);
    renderer.setSeriesOutlinePaint(place, Color.WHITE);
    renderer.setSeriesOutlineStroke(place, new BasicStroke(0.8f));
    all.addSeries(bars);
  }

  /** The added bars as a chart; the first row is on top. */
  public JFreeChart chart(
      String timeLabel, double fromSeconds, double toSeconds, String rowLabel, List<String> rows) {
    var time = new NumberAxis(timeLabel);
    time.setRange(fromSeconds, toSeconds);
    ChartStyle.letter(time);
    var row = new SymbolAxis(rowLabel, rows.toArray(new String[0]));
    row.setInverted(true);
    row.setGridBandsVisible(false);
    row.setRange(-0.5 - ROWS_MARGIN, rows.size() - 0.5 + ROWS_MARGIN);
    ChartStyle.letter(row);
    var plot = ChartStyle.styled(new XYPlot(all, time, row, renderer));
    plot.setRangeGridlinesVisible(false);
    return ChartStyle.chart(plot, PADDING);
  }
}
