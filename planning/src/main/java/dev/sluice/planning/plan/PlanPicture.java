package dev.sluice.planning.plan;

import dev.sluice.analytics.plot.Bars;
import dev.sluice.analytics.plot.ChartStyle;
import dev.sluice.analytics.plot.Picture;
import dev.sluice.analytics.plot.PictureFrame;
import dev.sluice.contract.file.OutputFile;
import dev.sluice.planning.split.Plan;
import dev.sluice.planning.split.Plan.PricedStage;
import dev.sluice.planning.split.PlanProblem;
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
final class PlanPicture {
  private static final double LABEL_ROOM = 1.3;
  private static final byte[] SIGNATURE = {(byte) 0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'};

  /** Pictures, as files that a command writes. */
  static final OutputFile.Kind KIND = OutputFile.Kind.madeAgain("PNG picture", SIGNATURE);

  private PlanPicture() {}

  static byte[] png(String title, PlanProblem problem, Plan plan) {
    List<PricedStage> stages = plan.stages();
    List<String> names = stages.stream().map(priced -> problem.nameOf(priced.stage())).toList();
    ToDoubleFunction<PricedStage> memoryPercent =
        priced ->
            100 * priced.memoryBytes() / problem.types().get(priced.stage().type()).memoryBytes();
    double bottleneckSeconds = plan.bottleneckSeconds();
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
    add(times, frame, 0, "compute", top, stages, PricedStage::computeSeconds);
    add(times, frame, 1, "transfer to the next stage", top, stages, PricedStage::transferSeconds);
    if (Double.isFinite(bottleneckSeconds)) {
      times.level(bottleneckSeconds);
      frame.line("bottleneck", ChartStyle.INK, ChartStyle.EDGE);
    }
    var memory = new Bars(names);
    double mostPercent = stages.stream().mapToDouble(memoryPercent).max().orElse(0);
    double topPercent =
        Double.isFinite(mostPercent) ? LABEL_ROOM * Math.max(100, mostPercent) : 100;
    add(memory, frame, 2, "memory needed", topPercent, stages, memoryPercent);
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
      List<PricedStage> stages,
      ToDoubleFunction<PricedStage> height) {
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
