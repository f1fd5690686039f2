package dev.sluice.analytics.plot;

import java.awt.Color;
import java.awt.Paint;
import java.awt.image.BufferedImage;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.IntStream;
import org.jfree.data.xy.XYIntervalSeries;

/**
 * Executions over time: a bar for each on each of its GPUs, colored by model, and hatched while the
 * model is loaded. A schedule with too many executions to tell apart shows only its beginning, and
 * says so.
 */
public final class GpuTimeline {
  private static final int BARS_PER_GPU_MAX = 40;
  private static final double NS_PER_SECOND = 1e9;

  private final String title;
  private final int gpus;
  private final List<String> models;
  private final List<Bar> bars = new ArrayList<>();

  private record Bar(int gpu, int model, long heldAtNs, long startedAtNs, long endedAtNs) {}

  public GpuTimeline(String title, int gpus, List<String> models) {
    this.title = title;
    this.gpus = gpus;
    this.models = List.copyOf(models);
  }

  /**
   * Adds an execution; call in the order of their starts.
   *
   * @param gpu first GPU; the others have the ids after it
   * @param count number of GPUs
   * @param model place among the models
   * @param heldAtNs time from which it held its GPUs; its model was loaded until it started
   */
  public void add(int gpu, int count, int model, long heldAtNs, long startedAtNs, long endedAtNs) {
    for (int i = gpu; i < gpu + count; i++) {
      bars.add(new Bar(i, model, heldAtNs, startedAtNs, endedAtNs));
    }
  }

  public byte[] png() {
    return Picture.png(bars.isEmpty() ? new PictureFrame(title).saying("no data") : image());
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
    var frame = new PictureFrame(text);
    var chart = new TimelineChart();
    for (int model = 0; model < models.size(); model++) {
      Color colour = ChartStyle.ofModel(model);
      XYIntervalSeries runs = series(models.get(model), model, untilNs, false);
      Paint fill = ChartStyle.fill(model, colour);
      chart.add(runs, fill);
      if (runs.getItemCount() > 0) {
        frame.fill(models.get(model), colour, fill);
      }
      chart.add(
          series(models.get(model) + " is loaded", model, untilNs, true),
          ChartStyle.hatched(colour));
    }
    frame.fill("a model is loaded", ChartStyle.QUIET, ChartStyle.hatched(ChartStyle.QUIET));
    return frame.around(
        chart.chart(
            "time since the first request, s",
            0,
            untilNs / NS_PER_SECOND,
            "GPU",
            IntStream.range(0, gpus).mapToObj(Integer::toString).toList()));
  }

  private XYIntervalSeries series(String name, int model, long untilNs, boolean loading) {
    var series = new XYIntervalSeries(name);
    for (Bar bar : bars) {
      long fromNs = loading ? bar.heldAtNs : bar.startedAtNs;
      long toNs = Math.min(untilNs, loading ? bar.startedAtNs : bar.endedAtNs);
      if (bar.model == model && fromNs < toNs) {
        TimelineChart.bar(series, fromNs / NS_PER_SECOND, toNs / NS_PER_SECOND, bar.gpu);
      }
    }
    return series;
  }
}
