package dev.sluice.analytics.plot;

import dev.sluice.analytics.figure.JobFigures;
import dev.sluice.analytics.fold.JobRow;
import dev.sluice.analytics.fold.RunRows;
import dev.sluice.analytics.summary.Summary;
import dev.sluice.contract.experiment.Experiment.JobClass;
import java.awt.image.BufferedImage;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.DoubleStream;
import org.knowm.xchart.XYChart;
import org.knowm.xchart.XYSeries;
import org.knowm.xchart.style.markers.SeriesMarkers;

/**
 * Share of each class's measured jobs that had ended within a time. A curve ends below 1 where jobs
 * were not done. The dashed lines are the classes' promises; of a class that promises a multiple of
 * the isolated time, the least and the most.
 */
final class LatencyCdfPlot implements Plot {
  private static final int POINTS_MAX = 2_000;

  @Override
  public String subject() {
    return "End-to-end latency";
  }

  @Override
  public Optional<BufferedImage> draw(RunRows run, Summary summary) {
    XYChart chart =
        ChartStyle.xyChart(
            subject(), run, "intended arrival to end, ms", "share of measured jobs done within");
    double leastMs = Double.POSITIVE_INFINITY;
    double mostMs = 0;
    List<String> classes = run.classNames();
    for (int i = 0; i < classes.size(); i++) {
      List<JobRow> jobs = JobFigures.ofClass(run.measured(), classes.get(i));
      double[] ms =
          jobs.stream()
              .filter(JobRow::isDone)
              .mapToDouble(job -> Math.max(0.001, job.endToEndNs() / 1e6))
              .sorted()
              .toArray();
      if (ms.length > 0) {
        addCurve(chart, classes.get(i), i, ms, jobs.size());
        leastMs = Math.min(leastMs, ms[0]);
        mostMs = Math.max(mostMs, ms[ms.length - 1]);
      }
    }
    if (mostMs == 0) {
      return Optional.empty();
    }
    for (var jobClass : run.context().experiment().jobs().classes()) {
      double[] sloMs = promises(run, jobClass);
      for (int i = 0; i < sloMs.length; i++) {
        leastMs = Math.min(leastMs, sloMs[i]);
        mostMs = Math.max(mostMs, sloMs[i]);
        ChartStyle.dashedLine(
            chart,
            legend(jobClass, sloMs) + " ".repeat(i), // names of lines differ
            new double[] {sloMs[i], sloMs[i]},
            new double[] {0, 1},
            ChartStyle.ofClass(classes.indexOf(jobClass.name())),
            i == 0);
      }
    }
    chart.getStyler().setXAxisLogarithmic(true);
    chart.getStyler().setXAxisMin(ChartStyle.niceBelow(leastMs));
    chart.getStyler().setXAxisMax(ChartStyle.niceAbove(mostMs));
    chart.getStyler().setYAxisMin(0.0);
    chart.getStyler().setYAxisMax(1.0);
    chart.getStyler().setXAxisTickLabelsFormattingFunction(ChartStyle::tick);
    return Optional.of(ChartStyle.image(chart));
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

  private static void addCurve(XYChart chart, String name, int index, double[] ms, int count) {
    List<Double> xs = new ArrayList<>();
    List<Double> ys = new ArrayList<>();
    int step = Math.max(1, ms.length / POINTS_MAX);
    for (int i = 0; i < ms.length; i += step) {
      xs.add(ms[i]);
      ys.add((i + 1.0) / count);
    }
    xs.add(ms[ms.length - 1]);
    ys.add((double) ms.length / count);
    XYSeries curve = chart.addSeries(name + " (" + ms.length + " of " + count + " done)", xs, ys);
    curve.setMarker(SeriesMarkers.NONE);
    curve.setLineColor(ChartStyle.ofClass(index));
    curve.setLineWidth(2.6f);
  }
}
