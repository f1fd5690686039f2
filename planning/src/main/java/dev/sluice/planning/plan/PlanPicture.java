package dev.sluice.planning.plan;

import dev.sluice.analytics.plot.Bars;
import dev.sluice.analytics.plot.ChartStyle;
import dev.sluice.analytics.plot.Picture;
import dev.sluice.analytics.plot.PictureFrame;
import dev.sluice.contract.file.OutputFile;
import java.awt.Color;
import java.awt.Paint;
import java.util.List;
import java.util.Locale;
import java.util.function.ToDoubleFunction;
import java.util.stream.Stream;
import org.jfree.chart.JFreeChart;

/**
 * A plan: of each stage its compute and transfer time against the bottleneck, and below it the
 * share of its host's memory that it needs.
 */
public final class PlanPicture {
  private static final double LABEL_ROOM = 1.3;
  private static final byte[] SIGNATURE = {(byte) 0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'};

  /** Pictures, as files that a command writes. */
  static final OutputFile.Kind KIND = OutputFile.Kind.madeAgain("PNG picture", SIGNATURE);

  private PlanPicture() {}

  /**
   * A stage.
   *
   * @param name host and layers
   * @param computeSeconds compute time, s
   * @param transferSeconds time to send its output, s; infinite: nothing passes
   * @param memoryPercent needed share of the host's memory, %
   */
  public record Bar(
      String name, double computeSeconds, double transferSeconds, double memoryPercent) {}

  /** The picture as the bytes of a PNG file. */
  public static byte[] png(String title, List<Bar> stages, double bottleneckSeconds) {
    List<String> names = stages.stream().map(Bar::name).toList();
    double mostSeconds =
        stages.stream()
            .flatMap(stage -> Stream.of(stage.computeSeconds(), stage.transferSeconds()))
            .mapToDouble(Double::doubleValue)
            .filter(Double::isFinite)
            .max()
            .orElse(0);
    double top = mostSeconds > 0 ? LABEL_ROOM * mostSeconds : 1;
    var times = new Bars(names);
    var frame = new PictureFrame(title);
    add(times, frame, 0, "compute", top, stages, Bar::computeSeconds);
    add(times, frame, 1, "transfer to the next stage", top, stages, Bar::transferSeconds);
    if (Double.isFinite(bottleneckSeconds)) {
      times.level(bottleneckSeconds);
      frame.line("bottleneck", ChartStyle.INK, ChartStyle.EDGE);
    }
    var memory = new Bars(names);
    double mostPercent = stages.stream().mapToDouble(Bar::memoryPercent).max().orElse(0);
    double topPercent =
        Double.isFinite(mostPercent) ? LABEL_ROOM * Math.max(100, mostPercent) : 100;
    add(memory, frame, 2, "memory needed", topPercent, stages, Bar::memoryPercent);
    JFreeChart[] charts = {
      times.linear("seconds", "", top), memory.linear("memory, %", "", topPercent)
    };
    return Picture.png(frame.above(charts));
  }

  private static void add(
      Bars bars,
      PictureFrame frame,
      int place,
      String name,
      double top,
      List<Bar> stages,
      ToDoubleFunction<Bar> height) {
    Color color = ChartStyle.ofClass(place);
    Paint fill = ChartStyle.fill(place, color);
    bars.add(
        color,
        fill,
        stages.stream()
            .map(
                stage -> {
                  double value = height.applyAsDouble(stage);
                  return Double.isFinite(value)
                      ? new Bars.Bar(value, String.format(Locale.ROOT, "%.4g", value), false)
                      : new Bars.Bar(top / LABEL_ROOM, "∞", true);
                })
            .toList());
    frame.fill(name, color, fill);
  }
}
