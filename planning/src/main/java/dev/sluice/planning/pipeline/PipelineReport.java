package dev.sluice.planning.pipeline;

import dev.sluice.analytics.report.TextTable;
import dev.sluice.planning.pipeline.StageProcess.StageMeasured;
import dev.sluice.planning.split.Plan.PricedStage;
import dev.sluice.planning.split.Plan.Stage;
import java.util.Locale;
import java.util.function.BiConsumer;

/** Lines on a plan that runs here: what was planned beside what was measured. */
final class PipelineReport {
  private static final TextTable TABLE = new TextTable("%-2s %-12s %7s %6s %6s %6s %6s %6s %6s");
  private static final double MIB = 1 << 20;

  private final PipelineRun.Options options;
  private final int cores;
  private final BiConsumer<String, String> out;

  /**
   * @param out takes each line, as its label and its text
   */
  PipelineReport(PipelineRun.Options options, int cores, BiConsumer<String, String> out) {
    this.options = options;
    this.cores = cores;
    this.out = out;
  }

  void before() {
    out.accept(
        "execute",
        text(
            "%s in %d stages here, each a process of one thread, batch %d, for %.0f s",
            options.model(), options.stages(), options.batchSize(), options.seconds()));
    out.accept(
        "emulated", "the links between stages: loopback sockets, paced to the planned bandwidth");
    if (options.stages() > cores) {
      out.accept(
          "cores",
          text(
              "%d stages share %d core(s) here: at most %.2f samples/s, of %.2f planned",
              options.stages(),
              cores,
              options.batchSize() / secondsHere(),
              plannedSamplesPerSecond()));
    }
  }

  /**
   * The least time between two micro-batches here, if all stages keep their planned times: the
   * bottleneck's, or all computing shared by the cores.
   */
  double secondsHere() {
    double compute =
        options.plan().stages().stream().mapToDouble(PricedStage::computeSeconds).sum();
    return Math.max(options.plan().bottleneckSeconds(), compute / cores);
  }

  private double plannedSamplesPerSecond() {
    return options.batchSize() / options.plan().bottleneckSeconds();
  }

  void after(Stages.Run run) {
    out.accept(
        "",
        text(
            "%-2s %-12s %7s %13s %13s %13s",
            "", "host", "layers", "compute, ms", "transfer, ms", "memory, MiB"));
    out.accept("", TABLE.row("", "", "", "plan", "here", "plan", "here", "plan", "here"));
    for (int i = 0; i < options.stages(); i++) {
      PricedStage planned = options.plan().stages().get(i);
      StageMeasured measured = run.stages().get(i);
      boolean last = i == options.stages() - 1;
      Stage stage = planned.stage();
      out.accept(
          "",
          TABLE.row(
              i + 1,
              options.host(i),
              stage.firstLayer() + "-" + stage.lastLayer(),
              text("%.1f", 1e3 * planned.computeSeconds()),
              text("%.1f", 1e3 * measured.computeSeconds()),
              last ? "-" : text("%.1f", 1e3 * planned.transferSeconds()),
              last ? "-" : text("%.1f", 1e3 * measured.transferSeconds()),
              text("%.0f", planned.memoryBytes() / MIB),
              measured.memoryBytes() == 0 ? "?" : text("%.0f", measured.memoryBytes() / MIB)));
    }
    double predicted =
        options.stages() > cores ? options.batchSize() / secondsHere() : plannedSamplesPerSecond();
    double measured = options.batchSize() / run.secondsPerMicroBatch();
    out.accept(
        "throughput",
        text(
            "%.2f samples/s predicted%s, %.2f measured (%+.1f %%), over %d micro-batches",
            predicted,
            options.stages() > cores ? " on " + cores + " core(s)" : "",
            measured,
            100 * (measured / predicted - 1),
            run.microBatches()));
    double plannedSeconds = options.plan().latencySeconds();
    out.accept(
        "latency",
        text(
            "%.1f ms predicted, %.1f measured (%+.1f %%): the first micro-batch",
            1e3 * plannedSeconds,
            1e3 * run.latencySeconds(),
            100 * (run.latencySeconds() / plannedSeconds - 1)));
    out.accept(
        "logits",
        run.unequal() == 0
            ? "equal to the whole model's, bit for bit, in all micro-batches"
            : text(
                "error: %d of %d micro-batches differ from the whole model's",
                run.unequal(), run.microBatches()));
  }

  private static String text(String format, Object... values) {
    return String.format(Locale.ROOT, format, values);
  }
}
