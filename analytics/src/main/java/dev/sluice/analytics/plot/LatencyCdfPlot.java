package dev.sluice.analytics.plot;

import dev.sluice.analytics.figure.JobFigures;
import dev.sluice.analytics.fold.JobRow;
import dev.sluice.analytics.fold.RunRows;
import dev.sluice.analytics.summary.Summary;
import dev.sluice.contract.experiment.Experiment.JobClass;
import java.awt.BasicStroke;
import java.awt.Color;
import java.awt.image.BufferedImage;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.DoubleStream;
import java.util.stream.IntStream;
import org.knowm.xchart.XYChart;

/**
 * Share of each class's measured jobs that were done within a time, and beside it the share that
 * was not, on a logarithmic axis, where the last jobs can be seen. Both are step functions: they
 * move only where a job ended. A curve ends below 1 where jobs were not done. The thin upright
 * lines are the classes' promises; of a class that promises a multiple of the isolated time, the
 * least and the most.
 */
final class LatencyCdfPlot implements Plot {
  private static final int POINTS_MAX = 2_000;
  private static final int TAIL_POINTS = 100;
  private static final double LEAST_MS = 0.001;

  @Override
  public String subject() {
    return "End-to-end latency";
  }

  @Override
  public Optional<BufferedImage> draw(RunRows run, Summary summary) {
    List<String> classes = run.classNames();
    List<double[]> doneMs = new ArrayList<>();
    double leastMs = Double.POSITIVE_INFINITY;
    double mostMs = 0;
    for (String name : classes) {
      double[] ms =
          JobFigures.ofClass(run.measured(), name).stream()
              .filter(JobRow::isDone)
              .mapToDouble(job -> Math.max(LEAST_MS, job.endToEndNs() / 1e6))
              .sorted()
              .toArray();
      doneMs.add(ms);
      if (ms.length > 0) {
        leastMs = Math.min(leastMs, ms[0]);
        mostMs = Math.max(mostMs, ms[ms.length - 1]);
      }
    }
    if (mostMs == 0) {
      return Optional.empty();
    }
    for (var jobClass : run.context().experiment().jobs().classes()) {
      for (double sloMs : promises(run, jobClass)) {
        leastMs = Math.min(leastMs, sloMs);
        mostMs = Math.max(mostMs, sloMs);
      }
    }
    double fromMs = ChartStyle.niceBelow(leastMs);
    double toMs = ChartStyle.niceAbove(mostMs);
    double floor = Math.pow(10, Math.floor(Math.log10(0.5 / run.measured().size())));
    XYChart within = chart("share of measured jobs done within", fromMs, toMs);
    within.getStyler().setYAxisMin(0.0);
    within.getStyler().setYAxisMax(1.0);
    // a chart of few values ticks at them alone
    double[] tenths = IntStream.rangeClosed(0, 10).mapToDouble(i -> i / 10.0).toArray();
    double[] left = DoubleStream.generate(() -> fromMs).limit(tenths.length).toArray();
    ChartStyle.line(within, "ticks", left, tenths, ChartStyle.GRID, ChartStyle.stroke(0, 1f));
    XYChart beyond = chart("share of measured jobs not done within (1 − p)", fromMs, toMs);
    beyond.getStyler().setYAxisLogarithmic(true);
    beyond.getStyler().setYAxisMin(floor);
    beyond.getStyler().setYAxisMax(1.0);
    beyond.getStyler().setYAxisTickLabelsFormattingFunction(ChartStyle::tick);
    var frame = new Frame(ChartStyle.title(subject(), run));
    for (int i = 0; i < classes.size(); i++) {
      int count = JobFigures.ofClass(run.measured(), classes.get(i)).size();
      if (count > 0) {
        String name = classes.get(i) + " (" + doneMs.get(i).length + " of " + count + " done)";
        Color color = ChartStyle.ofClass(i);
        BasicStroke stroke = ChartStyle.stroke(i, 2.4f);
        ChartStyle.curve(within, name, within(doneMs.get(i), count, fromMs, toMs), color, stroke);
        ChartStyle.curve(
            beyond, name, beyond(doneMs.get(i), count, fromMs, toMs, floor), color, stroke);
        frame.line(name, color, stroke);
      }
    }
    for (var jobClass : run.context().experiment().jobs().classes()) {
      int place = classes.indexOf(jobClass.name());
      BasicStroke stroke = ChartStyle.stroke(place, 1f);
      double[] slosMs = promises(run, jobClass);
      for (double sloMs : slosMs) {
        String name = jobClass.name() + " SLO " + sloMs;
        double[] xs = {sloMs, sloMs};
        Color color = ChartStyle.ofClass(place);
        ChartStyle.line(within, name, xs, new double[] {0, 1}, color, stroke);
        ChartStyle.line(beyond, name, xs, new double[] {floor, 1}, color, stroke);
      }
      if (slosMs.length > 0) {
        frame.line(legend(jobClass, slosMs), ChartStyle.ofClass(place), stroke);
      }
    }
    return Optional.of(frame.beside(within, beyond));
  }

  private static XYChart chart(String yAxisTitle, double fromMs, double toMs) {
    XYChart chart = ChartStyle.xyChart("intended arrival to end, ms", yAxisTitle);
    chart.getStyler().setXAxisLogarithmic(true);
    chart.getStyler().setXAxisMin(fromMs);
    chart.getStyler().setXAxisMax(toMs);
    chart.getStyler().setXAxisTickLabelsFormattingFunction(ChartStyle::tick);
    return chart;
  }

  /** Promises of a class by its name: none if the experiment does not name it. */
  static double[] promises(RunRows run, String name) {
    return run.context().experiment().jobs().classes().stream()
        .filter(jobClass -> jobClass.name().equals(name))
        .findFirst()
        .map(jobClass -> promises(run, jobClass))
        .orElseGet(() -> new double[0]);
  }

  /** The class's promise; or the least and the most that it promised to a measured job. */
  private static double[] promises(RunRows run, JobClass jobClass) {
    if (jobClass.sloMs() != null) {
      return new double[] {jobClass.sloMs()};
    }
    var sloMs =
        JobFigures.ofClass(run.measured(), jobClass.name()).stream()
            .mapToDouble(job -> job.request().sloNs() / 1e6)
            .summaryStatistics();
    return sloMs.getCount() == 0
        ? new double[0]
        : DoubleStream.of(sloMs.getMin(), sloMs.getMax()).distinct().toArray();
  }

  static String legend(JobClass jobClass, double[] sloMs) {
    return jobClass.name()
        + " SLO "
        + ChartStyle.tick(sloMs[0])
        + (sloMs.length == 1 ? "" : " to " + ChartStyle.tick(sloMs[1]))
        + " ms"
        + (jobClass.sloScale() == null
            ? ""
            : " (" + ChartStyle.tick(jobClass.sloScale()) + " × alone)");
  }

  /** The share done within a time: from 0, up at each job's latency, level to the right end. */
  static ChartStyle.Steps within(double[] ms, int count, double fromMs, double toMs) {
    var steps = new ChartStyle.Steps(fromMs, 0);
    for (int i : drawn(ms.length)) {
      steps.to(ms[i], (i + 1.0) / count);
    }
    return steps.to(toMs, (double) ms.length / count);
  }

  /** One minus that share, down to the floor where none is left. */
  static ChartStyle.Steps beyond(double[] ms, int count, double fromMs, double toMs, double floor) {
    var steps = new ChartStyle.Steps(fromMs, 1);
    for (int i : drawn(ms.length)) {
      steps.to(ms[i], Math.max(floor, (count - i - 1.0) / count));
    }
    return steps.to(toMs, Math.max(floor, (double) (count - ms.length) / count));
  }

  /**
   * Places at which a curve steps: all, or of very many evenly chosen ones and the last hundred.
   */
  private static int[] drawn(int length) {
    int step = Math.max(1, length / POINTS_MAX);
    return IntStream.range(0, length)
        .filter(i -> i % step == 0 || i >= length - TAIL_POINTS)
        .toArray();
  }
}
