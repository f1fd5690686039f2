package dev.sluice.analytics.plot;

import dev.sluice.analytics.figure.JobFigures;
import dev.sluice.analytics.fold.JobRow;
import dev.sluice.analytics.fold.RunRows;
import dev.sluice.analytics.summary.Summary;
import java.awt.image.BufferedImage;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.knowm.xchart.CategoryChart;
import org.knowm.xchart.CategoryChartBuilder;

/** Share of the measured jobs that broke their promise, by workload and class. */
final class SloViolationsPlot implements Plot {
  private static final String ALL = "all workloads";

  @Override
  public String subject() {
    return "SLO violations";
  }

  @Override
  public Optional<BufferedImage> draw(RunRows run, Summary summary) {
    List<JobRow> measured = run.measured();
    if (measured.isEmpty()) {
      return Optional.empty();
    }
    CategoryChart chart =
        new CategoryChartBuilder()
            .width(ChartStyle.WIDTH)
            .height(ChartStyle.HEIGHT)
            .title(ChartStyle.title(subject(), run))
            .xAxisTitle("workload")
            .yAxisTitle("measured jobs above their SLO or not done, %")
            .build();
    ChartStyle.apply(chart.getStyler());
    List<String> groups = new ArrayList<>(run.workloadNames());
    groups.add(ALL);
    List<String> classes = run.classNames();
    double highest = 0;
    for (int i = 0; i < classes.size(); i++) {
      List<JobRow> jobs = JobFigures.ofClass(measured, classes.get(i));
      List<Double> percents = groups.stream().map(group -> percent(jobs, group)).toList();
      highest =
          Math.max(highest, percents.stream().mapToDouble(Double::doubleValue).max().orElse(0));
      chart
          .addSeries(classes.get(i) + " (" + jobs.size() + " jobs)", groups, percents)
          .setFillColor(ChartStyle.ofClass(i));
    }
    chart.getStyler().setAvailableSpaceFill(0.7);
    chart.getStyler().setLabelsVisible(true);
    chart.getStyler().setLabelsPosition(1.04);
    chart.getStyler().setLabelsFont(ChartStyle.TEXT);
    chart.getStyler().setLabelsFontColor(ChartStyle.INK);
    chart.getStyler().setLabelsFontColorAutomaticEnabled(false);
    chart.getStyler().setDecimalPattern("0.0");
    chart.getStyler().setYAxisDecimalPattern("0.##");
    chart.getStyler().setPlotGridVerticalLinesVisible(false);
    chart.getStyler().setYAxisMin(0.0);
    chart.getStyler().setYAxisMax(Math.min(108, Math.max(1, 1.15 * highest)));
    return Optional.of(ChartStyle.image(chart));
  }

  private static double percent(List<JobRow> jobs, String group) {
    long count = 0;
    long violations = 0;
    for (JobRow job : jobs) {
      if (group.equals(ALL) || job.request().workload().equals(group)) {
        count++;
        violations += job.isViolation() ? 1 : 0;
      }
    }
    return count == 0 ? 0 : 100.0 * violations / count;
  }
}
