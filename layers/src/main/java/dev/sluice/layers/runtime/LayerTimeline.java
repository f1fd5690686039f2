package dev.sluice.layers.runtime;

import dev.sluice.analytics.plot.ChartStyle;
import dev.sluice.analytics.plot.Picture;
import dev.sluice.analytics.plot.PictureFrame;
import dev.sluice.analytics.plot.TimelineChart;
import java.awt.Color;
import java.awt.Paint;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.jfree.chart.axis.NumberAxis;
import org.jfree.chart.plot.CombinedDomainXYPlot;
import org.jfree.chart.plot.ValueMarker;
import org.jfree.chart.plot.XYPlot;
import org.jfree.chart.renderer.xy.XYStepAreaRenderer;
import org.jfree.data.xy.XYIntervalSeries;
import org.jfree.data.xy.XYSeries;
import org.jfree.data.xy.XYSeriesCollection;

/**
 * A model that runs layer by layer: a row for each layer with what was fetched, computed and waited
 * for over time, and below it the bytes of parameters in memory.
 */
public final class LayerTimeline {
  private static final double NS_PER_SECOND = 1e9;
  private static final double BYTES_PER_MB = 1e6;
  private static final double HALF_A_BAR = 0.4;
  private static final int ROWS_WEIGHT = 3;
  private static final double HEADROOM = 1.15;

  private final String title;
  private final List<String> layers;
  private final long budgetBytes;

  private final Map<Kind, XYIntervalSeries> bars = new EnumMap<>(Kind.class);
  private final List<Long> memoryAtNs = new ArrayList<>();
  private final List<Long> memoryBytes = new ArrayList<>();
  private long lastNs = 1;

  /** What a bar shows. */
  public enum Kind {
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
  }

  /**
   * @param layers names of the layers, the first on top
   * @param budgetBytes bytes that parameters may take; 0: no limit is shown
   */
  public LayerTimeline(String title, List<String> layers, long budgetBytes) {
    this.title = title;
    this.layers = List.copyOf(layers);
    this.budgetBytes = budgetBytes;
  }

  /** Adds a bar; times are counted from the picture's left edge. */
  public void add(Kind kind, int layer, long startNs, long endNs) {
    bars(kind)
        .add(
            startNs / NS_PER_SECOND,
            startNs / NS_PER_SECOND,
            endNs / NS_PER_SECOND,
            layer,
            layer + kind.from,
            layer + kind.to);
    lastNs = Math.max(lastNs, endNs);
  }

  private XYIntervalSeries bars(Kind kind) {
    return bars.computeIfAbsent(kind, first -> new XYIntervalSeries(first.text));
  }

  /** Adds the bytes in memory from a time on; call in the order of time. */
  public void memory(long atNs, long bytes) {
    memoryAtNs.add(atNs);
    memoryBytes.add(bytes);
    lastNs = Math.max(lastNs, atNs);
  }

  public byte[] png() {
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
    double seconds = lastNs / NS_PER_SECOND;
    XYPlot rows = chart.chart("", 0, seconds, "", layers).getXYPlot();
    var time = new NumberAxis("time since the first step began, s");
    time.setRange(0, seconds);
    ChartStyle.letter(time);
    var both = new CombinedDomainXYPlot(time);
    both.setGap(16);
    both.add(rows, ROWS_WEIGHT);
    both.add(memoryPlot(frame), 1);
    return Picture.png(frame.around(ChartStyle.chart(both, TimelineChart.PADDING)));
  }

  private XYPlot memoryPlot(PictureFrame frame) {
    var series = new XYSeries("parameters in memory");
    long most = Math.max(1, budgetBytes);
    for (int i = 0; i < memoryAtNs.size(); i++) {
      series.add(memoryAtNs.get(i) / NS_PER_SECOND, memoryBytes.get(i) / BYTES_PER_MB);
      most = Math.max(most, memoryBytes.get(i));
    }
    if (!memoryBytes.isEmpty()) {
      series.add(lastNs / NS_PER_SECOND, memoryBytes.get(memoryBytes.size() - 1) / BYTES_PER_MB);
    }
    Color color = ChartStyle.ofClass(3);
    var renderer = new XYStepAreaRenderer(XYStepAreaRenderer.AREA);
    renderer.setSeriesPaint(0, ChartStyle.translucent(color, 150));
    renderer.setOutline(true);
    renderer.setSeriesOutlinePaint(0, color);
    var axis = new NumberAxis("parameters, MB");
    axis.setRange(0, HEADROOM * most / BYTES_PER_MB);
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
