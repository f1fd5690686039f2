package dev.sluice.analytics;

import java.awt.BasicStroke;
import java.awt.Color;
import java.awt.Graphics2D;
import java.awt.Paint;
import java.awt.Rectangle;
import java.awt.RenderingHints;
import java.awt.TexturePaint;
import java.awt.image.BufferedImage;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.IntStream;
import javax.imageio.ImageIO;
import org.jfree.chart.JFreeChart;
import org.jfree.chart.axis.NumberAxis;
import org.jfree.chart.axis.SymbolAxis;
import org.jfree.chart.block.BlockBorder;
import org.jfree.chart.plot.XYPlot;
import org.jfree.chart.renderer.xy.StandardXYBarPainter;
import org.jfree.chart.renderer.xy.XYBarRenderer;
import org.jfree.chart.title.TextTitle;
import org.jfree.chart.ui.RectangleInsets;
import org.jfree.data.xy.XYIntervalSeries;
import org.jfree.data.xy.XYIntervalSeriesCollection;

/**
 * Which GPU ran what when: a bar per execution on each of its GPUs, coloured by model; hatched
 * while its model is loaded. Of a schedule with too many executions to tell apart it shows the
 * beginning, and says so.
 */
public final class GpuTimeline {
  private static final int BARS_PER_GPU_MAX = 40;
  private static final int HATCH = 8;
  private static final double NS_PER_SECOND = 1e9;

  private final String title;
  private final int gpus;
  private final List<String> models;
  private final List<Bar> bars = new ArrayList<>();

  private record Bar(int gpu, int model, long heldAtNs, long startedAtNs, long endedAtNs) {}

  /**
   * @param models their names, by which the colours go
   */
  public GpuTimeline(String title, int gpus, List<String> models) {
    this.title = title;
    this.gpus = gpus;
    this.models = List.copyOf(models);
  }

  /**
   * Adds an execution; they come by their start.
   *
   * @param gpu the first of so many with ids next to each other
   * @param model its place among the models
   * @param heldAtNs from when on it held its GPUs, and its model was loaded until it started
   */
  public void add(int gpu, int count, int model, long heldAtNs, long startedAtNs, long endedAtNs) {
    for (int i = gpu; i < gpu + count; i++) {
      bars.add(new Bar(i, model, heldAtNs, startedAtNs, endedAtNs));
    }
  }

  /** As the bytes of a PNG file. */
  public byte[] png() {
    BufferedImage image = bars.isEmpty() ? ChartStyle.noData(title) : image();
    try {
      var bytes = new ByteArrayOutputStream();
      ImageIO.write(image, "png", bytes);
      return bytes.toByteArray();
    } catch (IOException e) {
      throw new UncheckedIOException(e); // of an array in memory
    }
  }

  private BufferedImage image() {
    long lastNs = bars.stream().mapToLong(Bar::endedAtNs).max().orElse(1);
    int most = BARS_PER_GPU_MAX * gpus;
    boolean whole = bars.size() <= most;
    long untilNs = Math.max(1, whole ? lastNs : bars.get(most).startedAtNs());
    String text =
        whole
            ? title
            : String.format(
                Locale.ROOT,
                "%s · the first %.0f s of %.0f s",
                title,
                untilNs / NS_PER_SECOND,
                lastNs / NS_PER_SECOND);
    var chart = new JFreeChart(text, ChartStyle.TITLE, plot(untilNs), true);
    chart.setBackgroundPaint(Color.WHITE);
    chart.setAntiAlias(true);
    chart.setPadding(new RectangleInsets(14, 14, 14, 20));
    TextTitle head = chart.getTitle();
    head.setPaint(ChartStyle.INK);
    head.setPadding(0, 0, 12, 0);
    chart.getLegend().setItemFont(ChartStyle.TEXT);
    chart.getLegend().setFrame(BlockBorder.NONE);
    chart.getLegend().setPadding(12, 0, 0, 0);
    return chart.createBufferedImage(ChartStyle.WIDTH, ChartStyle.HEIGHT);
  }

  private XYPlot plot(long untilNs) {
    var all = new XYIntervalSeriesCollection();
    var renderer = new XYBarRenderer();
    renderer.setUseYInterval(true);
    renderer.setShadowVisible(false);
    renderer.setBarPainter(new StandardXYBarPainter());
    renderer.setDrawBarOutline(true);
    for (int model = 0; model < models.size(); model++) {
      Color colour = ChartStyle.ofModel(model);
      XYIntervalSeries runs = series(models.get(model), model, untilNs, false);
      add(all, renderer, runs, colour, runs.getItemCount() > 0);
      add(
          all,
          renderer,
          series(models.get(model) + " is loaded", model, untilNs, true),
          hatched(colour),
          false);
    }
    var hatched = new XYIntervalSeries("a model is loaded");
    add(all, renderer, hatched, hatched(ChartStyle.QUIET), true);
    var time = new NumberAxis("time since the first request, s");
    time.setRange(0, untilNs / NS_PER_SECOND);
    time.setLabelFont(ChartStyle.TEXT);
    time.setTickLabelFont(ChartStyle.TEXT);
    var gpu =
        new SymbolAxis(
            "GPU", IntStream.range(0, gpus).mapToObj(Integer::toString).toArray(String[]::new));
    gpu.setInverted(true);
    gpu.setGridBandsVisible(false);
    gpu.setRange(-0.6, gpus - 0.4);
    gpu.setLabelFont(ChartStyle.TEXT);
    gpu.setTickLabelFont(ChartStyle.TEXT);
    var plot = new XYPlot(all, time, gpu, renderer);
    plot.setBackgroundPaint(Color.WHITE);
    plot.setDomainGridlinePaint(ChartStyle.GRID);
    plot.setDomainGridlineStroke(new BasicStroke(1f));
    plot.setRangeGridlinesVisible(false);
    plot.setOutlineVisible(false);
    plot.setAxisOffset(RectangleInsets.ZERO_INSETS);
    return plot;
  }

  private static void add(
      XYIntervalSeriesCollection all,
      XYBarRenderer renderer,
      XYIntervalSeries series,
      Paint paint,
      boolean inLegend) {
    int place = all.getSeriesCount();
    renderer.setSeriesPaint(place, paint);
    renderer.setSeriesOutlinePaint(place, Color.WHITE);
    renderer.setSeriesOutlineStroke(place, new BasicStroke(0.8f));
    renderer.setSeriesVisibleInLegend(place, inLegend);
    all.addSeries(series);
  }

  private XYIntervalSeries series(String name, int model, long untilNs, boolean loading) {
    var series = new XYIntervalSeries(name);
    for (Bar bar : bars) {
      long fromNs = loading ? bar.heldAtNs : bar.startedAtNs;
      long toNs = Math.min(untilNs, loading ? bar.startedAtNs : bar.endedAtNs);
      if (bar.model == model && fromNs < toNs) {
        double fromSeconds = fromNs / NS_PER_SECOND;
        series.add(
            fromSeconds,
            fromSeconds,
            toNs / NS_PER_SECOND,
            bar.gpu,
            bar.gpu - 0.38,
            bar.gpu + 0.38);
      }
    }
    return series;
  }

  private static Paint hatched(Color colour) {
    var tile = new BufferedImage(HATCH, HATCH, BufferedImage.TYPE_INT_RGB);
    Graphics2D graphics = tile.createGraphics();
    graphics.setRenderingHint(RenderingHints.KEY_ANTIALIASING, RenderingHints.VALUE_ANTIALIAS_ON);
    graphics.setColor(Color.WHITE);
    graphics.fillRect(0, 0, HATCH, HATCH);
    graphics.setColor(colour);
    graphics.setStroke(new BasicStroke(2f));
    for (int shift = -HATCH; shift <= HATCH; shift += HATCH) {
      graphics.drawLine(shift - 1, HATCH + 1, shift + HATCH + 1, -1);
    }
    graphics.dispose();
    return new TexturePaint(tile, new Rectangle(HATCH, HATCH));
  }
}
