package dev.sluice.layers.runtime;

import dev.sluice.analytics.plot.ChartStyle;
import dev.sluice.analytics.plot.Picture;
import dev.sluice.analytics.plot.PictureFrame;
import dev.sluice.analytics.plot.TimelineChart;
import dev.sluice.layers.engine.LayerTrace.Row;
import java.awt.Color;
import java.awt.Paint;
import java.util.Comparator;
import java.util.List;
import org.jfree.chart.axis.NumberAxis;
import org.jfree.chart.plot.CombinedDomainXYPlot;
import org.jfree.chart.plot.ValueMarker;
import org.jfree.chart.plot.XYPlot;
import org.jfree.chart.renderer.xy.XYStepAreaRenderer;
import org.jfree.data.xy.XYIntervalSeries;
import org.jfree.data.xy.XYSeries;
import org.jfree.data.xy.XYSeriesCollection;
import org.jspecify.annotations.Nullable;

/**
 * A model that runs layer by layer: a row for each layer with what was fetched, computed and waited
 * for over time, and below it the bytes of parameters in memory.
 */
final class LayerTimeline {
  private static final double NS_PER_SECOND = 1e9;
  private static final double BYTES_PER_MB = 1e6;
  private static final double HALF_A_BAR = 0.4;
  private static final int ROWS_WEIGHT = 3;
  private static final double HEADROOM = 1.15;

  /** Shorter waits are no waits: the layer was there. */
  private static final long WAIT_NS_MIN = 100_000;

  private final long budgetBytes;
  private final List<Row> rows;

  /** Begin of the first operation, the picture's left edge. */
  private final long leastNs;

  private long lastNs = 1;
  private long mostBytes;

  /** What a bar shows. */
  private enum Kind {
    FETCH("fetched", -HALF_A_BAR, 0),
    WAIT("computing waits for the fetch", 0, HALF_A_BAR),
    FORWARD("computed", -HALF_A_BAR, HALF_A_BAR),
    BACKWARD("computed, backward", -HALF_A_BAR, HALF_A_BAR);

    private final String text;
    private final double from;
    private final double to;

    Kind(String text, double from, double to) {
      this.text = text;
      this.from = from;
      this.to = to;
    }

    /** What is shown of an operation; null: nothing. */
    private static @Nullable Kind of(Row row) {
      return switch (row.operation()) {
        case Row.READ -> FETCH;
        case Row.FETCH -> row.tookNs() < WAIT_NS_MIN ? null : WAIT;
        case Row.COMPUTE, Row.UPDATE -> row.hook().endsWith("backward") ? BACKWARD : FORWARD;
        default -> null;
      };
    }
  }

  private LayerTimeline(long budgetBytes, List<Row> rows) {
    this.budgetBytes = budgetBytes;
    this.rows = rows;
    this.mostBytes = Math.max(1, budgetBytes);
    this.leastNs = rows.stream().mapToLong(Row::startNs).min().orElse(0);
  }

  /**
   * Draws operations.
   *
   * @param layers names of the layers, the first on top
   * @param budgetBytes bytes that parameters may take; 0: no limit is shown
   */
  static byte[] png(String title, List<String> layers, long budgetBytes, List<Row> rows) {
    return new LayerTimeline(budgetBytes, rows).png(title, layers);
  }

  private byte[] png(String title, List<String> layers) {
    var frame = new PictureFrame(title);
    var chart = new TimelineChart();
    for (Kind kind : Kind.values()) {
      XYIntervalSeries series = bars(kind);
      Color color = color(kind);
      Paint fill =
          kind == Kind.WAIT ? ChartStyle.hatched(color) : ChartStyle.fill(pattern(kind), color);
      chart.add(series, fill);
      if (series.getItemCount() > 0) {
        frame.fill(kind.text, color, fill);
      }
    }
    XYSeries memory = memory();
    double seconds = lastNs / NS_PER_SECOND;
    XYPlot bars = chart.chart("", 0, seconds, "", layers).getXYPlot();
    var time = new NumberAxis("time since the first step began, s");
    time.setRange(0, seconds);
    ChartStyle.letter(time);
    var both = new CombinedDomainXYPlot(time);
    both.setGap(16);
    both.add(bars, ROWS_WEIGHT);
    both.add(memoryPlot(memory, frame), 1);
    return Picture.png(frame.around(ChartStyle.chart(both, TimelineChart.PADDING)));
  }

  private XYIntervalSeries bars(Kind kind) {
    var bars = new XYIntervalSeries(kind.text);
    for (Row row : rows) {
      if (Kind.of(row) == kind) {
        double start = (row.startNs() - leastNs) / NS_PER_SECOND;
        double end = (row.endNs() - leastNs) / NS_PER_SECOND;
        int layer = row.layer();
        bars.add(start, start, end, layer, layer + kind.from, layer + kind.to);
        lastNs = Math.max(lastNs, row.endNs() - leastNs);
      }
    }
    return bars;
  }

  /** Bytes in memory over time, up to the end of the last bar. */
  private XYSeries memory() {
    var series = new XYSeries("parameters in memory");
    List<Row> byEnd =
        rows.stream()
            .filter(row -> !row.operation().equals(Row.READ)) // bytes are taken by the list
            .sorted(Comparator.comparingLong(Row::endNs))
            .toList();
    for (Row row : byEnd) {
      series.add((row.endNs() - leastNs) / NS_PER_SECOND, row.residentBytes() / BYTES_PER_MB);
      lastNs = Math.max(lastNs, row.endNs() - leastNs);
      mostBytes = Math.max(mostBytes, row.residentBytes());
    }
    if (!byEnd.isEmpty()) {
      double last = byEnd.get(byEnd.size() - 1).residentBytes() / BYTES_PER_MB;
      series.add(lastNs / NS_PER_SECOND, last);
    }
    return series;
  }

  private XYPlot memoryPlot(XYSeries series, PictureFrame frame) {
    Color color = ChartStyle.ofClass(3);
    var renderer = new XYStepAreaRenderer(XYStepAreaRenderer.AREA);
    renderer.setSeriesPaint(0, ChartStyle.translucent(color, 150));
    renderer.setOutline(true);
    renderer.setSeriesOutlinePaint(0, color);
    var axis = new NumberAxis("parameters, MB");
    axis.setRange(0, HEADROOM * mostBytes / BYTES_PER_MB);
    ChartStyle.letter(axis);
    var plot = ChartStyle.styled(new XYPlot(new XYSeriesCollection(series), null, axis, renderer));
    frame.fill("parameters in memory", color, ChartStyle.translucent(color, 150));
    if (budgetBytes > 0) {
      plot.addRangeMarker(
          new ValueMarker(budgetBytes / BYTES_PER_MB, ChartStyle.INK, ChartStyle.EDGE));
      frame.line("budget", ChartStyle.INK, ChartStyle.EDGE);
    }
    return plot;
  }

  private static Color color(Kind kind) {
    return switch (kind) {
      case FETCH -> ChartStyle.ofClass(1);
      case WAIT -> ChartStyle.QUIET;
      case FORWARD -> ChartStyle.ofClass(0);
      case BACKWARD -> ChartStyle.ofClass(2);
    };
  }

  private static int pattern(Kind kind) {
    return kind == Kind.BACKWARD ? 1 : 0;
  }
}
