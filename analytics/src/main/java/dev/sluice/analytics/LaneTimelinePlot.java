package dev.sluice.analytics;

import java.awt.BasicStroke;
import java.awt.Color;
import java.awt.image.BufferedImage;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import org.jfree.chart.JFreeChart;
import org.jfree.chart.axis.NumberAxis;
import org.jfree.chart.axis.SymbolAxis;
import org.jfree.chart.plot.XYPlot;
import org.jfree.chart.renderer.xy.StandardXYBarPainter;
import org.jfree.chart.renderer.xy.XYBarRenderer;
import org.jfree.chart.title.TextTitle;
import org.jfree.chart.ui.RectangleInsets;
import org.jfree.data.xy.XYIntervalSeries;
import org.jfree.data.xy.XYIntervalSeriesCollection;

/**
 * Which lane ran what when: a bar per batch, coloured by workload. Of a run with too many batches
 * to tell apart it shows the stretch in which the most jobs waited, and says which.
 */
final class LaneTimelinePlot implements Plot {
  private static final int BATCHES_PER_LANE_MAX = 40;
  private static final int STRETCHES_TRIED = 400;

  @Override
  public String subject() {
    return "Lanes";
  }

  @Override
  public Optional<BufferedImage> draw(RunRows run, Summary summary) {
    List<DispatchRow> ran = run.dispatches().stream().filter(DispatchRow::ran).toList();
    if (ran.isEmpty()) {
      return Optional.empty();
    }
    List<String> lanes =
        ran.stream()
            .sorted(
                Comparator.comparing((DispatchRow row) -> row.dispatch().executorId())
                    .thenComparing(row -> row.dispatch().lanes().get(0)))
            .map(DispatchRow::laneId)
            .distinct()
            .toList();
    Stretch stretch = stretch(run, ran, lanes.size());
    String title = ChartStyle.title(subject(), run);
    var chart =
        new JFreeChart(
            stretch.whole() ? title : title + " · " + stretch.text(),
            ChartStyle.TITLE,
            plot(run, ran, lanes, stretch),
            true);
    style(chart);
    return Optional.of(chart.createBufferedImage(ChartStyle.WIDTH, ChartStyle.HEIGHT));
  }

  /** A part of the run. */
  private record Stretch(long fromNs, long toNs, boolean whole) {
    String text() {
      return String.format(
          java.util.Locale.ROOT,
          "%.2f s to %.2f s, where most jobs waited",
          fromNs / 1e9,
          toNs / 1e9);
    }

    boolean overlaps(DispatchRow row) {
      return row.requireFinishedAtNs() > fromNs && row.requireStartedAtNs() < toNs;
    }
  }

  private static Stretch stretch(RunRows run, List<DispatchRow> ran, int lanes) {
    long firstNs = ran.stream().mapToLong(DispatchRow::requireStartedAtNs).min().orElseThrow();
    long lastNs = ran.stream().mapToLong(DispatchRow::requireFinishedAtNs).max().orElseThrow();
    long most = (long) BATCHES_PER_LANE_MAX * lanes;
    if (ran.size() <= most) {
      return new Stretch(Math.min(0, firstNs), lastNs, true);
    }
    long lengthNs = Math.max(1, (long) ((double) (lastNs - firstNs) * most / ran.size()));
    var queue = QueueCurve.of(run.jobs());
    Stretch best = new Stretch(firstNs, firstNs + lengthNs, false);
    double bestMean = -1;
    for (int i = 0; i < STRETCHES_TRIED; i++) {
      long fromNs = firstNs + (lastNs - firstNs - lengthNs) / STRETCHES_TRIED * i;
      double mean = queue.mean(fromNs, fromNs + lengthNs);
      if (mean > bestMean) {
        bestMean = mean;
        best = new Stretch(fromNs, fromNs + lengthNs, false);
      }
    }
    return best;
  }

  private static XYPlot plot(
      RunRows run, List<DispatchRow> ran, List<String> lanes, Stretch stretch) {
    var bars = new XYIntervalSeriesCollection();
    var renderer = new XYBarRenderer();
    renderer.setUseYInterval(true);
    renderer.setShadowVisible(false);
    renderer.setBarPainter(new StandardXYBarPainter());
    renderer.setDrawBarOutline(true);
    List<String> workloads = run.workloadNames();
    for (int i = 0; i < workloads.size(); i++) {
      XYIntervalSeries series = bars(ran, lanes, stretch, workloads.get(i));
      if (series.getItemCount() > 0) {
        renderer.setSeriesPaint(bars.getSeriesCount(), ChartStyle.ofWorkload(i));
        renderer.setSeriesOutlinePaint(bars.getSeriesCount(), Color.WHITE);
        renderer.setSeriesOutlineStroke(bars.getSeriesCount(), new BasicStroke(0.8f));
        bars.addSeries(series);
      }
    }
    var time = new NumberAxis("time since time zero, s");
    time.setRange(stretch.fromNs() / 1e9, stretch.toNs() / 1e9);
    time.setLabelFont(ChartStyle.TEXT);
    time.setTickLabelFont(ChartStyle.TEXT);
    var lane = new SymbolAxis("lane", lanes.toArray(new String[0]));
    lane.setInverted(true);
    lane.setGridBandsVisible(false);
    lane.setRange(-0.6, lanes.size() - 0.4);
    lane.setLabelFont(ChartStyle.TEXT);
    lane.setTickLabelFont(ChartStyle.TEXT);
    var plot = new XYPlot(bars, time, lane, renderer);
    plot.setBackgroundPaint(Color.WHITE);
    plot.setDomainGridlinePaint(ChartStyle.GRID);
    plot.setDomainGridlineStroke(new BasicStroke(1f));
    plot.setRangeGridlinesVisible(false);
    plot.setOutlineVisible(false);
    plot.setAxisOffset(RectangleInsets.ZERO_INSETS);
    return plot;
  }

  private static XYIntervalSeries bars(
      List<DispatchRow> ran, List<String> lanes, Stretch stretch, String workload) {
    List<DispatchRow> chosen = new ArrayList<>();
    for (DispatchRow row : ran) {
      if (row.dispatch().workload().equals(workload) && stretch.overlaps(row)) {
        chosen.add(row);
      }
    }
    var series = new XYIntervalSeries(workload);
    for (DispatchRow row : chosen) {
      // the chart leaves out an item whose start lies before its axis
      double fromS = Math.max(row.requireStartedAtNs(), stretch.fromNs()) / 1e9;
      double toS = Math.min(row.requireFinishedAtNs(), stretch.toNs()) / 1e9;
      int lane = lanes.indexOf(row.laneId());
      series.add(fromS, fromS, toS, lane, lane - 0.38, lane + 0.38);
    }
    return series;
  }

  private static void style(JFreeChart chart) {
    chart.setBackgroundPaint(Color.WHITE);
    chart.setAntiAlias(true);
    chart.setPadding(new RectangleInsets(14, 14, 14, 20));
    TextTitle title = chart.getTitle();
    title.setPaint(ChartStyle.INK);
    title.setPadding(0, 0, 12, 0);
    chart.getLegend().setItemFont(ChartStyle.TEXT);
    chart.getLegend().setFrame(org.jfree.chart.block.BlockBorder.NONE);
    chart.getLegend().setPadding(12, 0, 0, 0);
  }
}
