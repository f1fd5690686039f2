package dev.sluice.analytics;

import java.awt.image.BufferedImage;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.knowm.xchart.XYChart;
import org.knowm.xchart.XYSeries;
import org.knowm.xchart.style.markers.SeriesMarkers;

/**
 * Which share of each class's measured jobs had ended within a time. A curve ends below 1 where
 * jobs were not done. The dashed lines are the classes' promises.
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
    for (var jobClass : run.context().experiment().classes()) {
      double sloMs = jobClass.sloMs();
      leastMs = Math.min(leastMs, sloMs);
      mostMs = Math.max(mostMs, sloMs);
      ChartStyle.dashedLine(
          chart,
          jobClass.name() + " SLO " + ChartStyle.tick(sloMs) + " ms",
          new double[] {sloMs, sloMs},
          new double[] {0, 1},
          ChartStyle.ofClass(classes.indexOf(jobClass.name())),
          true);
    }
    chart.getStyler().setXAxisLogarithmic(true);
    chart.getStyler().setXAxisMin(ChartStyle.niceBelow(leastMs));
    chart.getStyler().setXAxisMax(ChartStyle.niceAbove(mostMs));
    chart.getStyler().setYAxisMin(0.0);
    chart.getStyler().setYAxisMax(1.0);
    chart.getStyler().setXAxisTickLabelsFormattingFunction(ChartStyle::tick);
    return Optional.of(ChartStyle.image(chart));
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
