package dev.sluice.analytics.plot;

import dev.sluice.analytics.figure.JobFigures;
import dev.sluice.analytics.fold.JobRow;
import dev.sluice.analytics.fold.RunRows;
import dev.sluice.analytics.summary.Summary;
import java.awt.Paint;
import java.awt.image.BufferedImage;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

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
    List<String> groups = new ArrayList<>(run.workloadNames());
    groups.add(ALL);
    List<String> classes = run.classNames();
    var bars = new Bars(groups);
    var frame = new Frame(ChartStyle.title(subject(), run));
    double highest = 0;
    for (int i = 0; i < classes.size(); i++) {
      List<JobRow> jobs = JobFigures.ofClass(measured, classes.get(i));
      List<Double> percents = groups.stream().map(group -> percent(jobs, group)).toList();
      highest =
          Math.max(
              highest,
              percents.stream()
                  .mapToDouble(Double::doubleValue)
                  .filter(Double::isFinite)
                  .max()
                  .orElse(0));
      Paint fill = ChartStyle.fill(i, ChartStyle.ofClass(i));
      bars.add(ChartStyle.ofClass(i), fill, percents.stream().map(SloViolationsPlot::bar).toList());
      frame.fill(classes.get(i) + " (" + jobs.size() + " jobs)", ChartStyle.ofClass(i), fill);
    }
    double top = Math.min(112, Math.max(1, 1.2 * highest));
    return Optional.of(
        frame.around(bars.linear("measured jobs above their SLO or not done, %", "workload", top)));
  }

  private static Bars.Bar bar(double percent) {
    return Double.isNaN(percent)
        ? new Bars.Bar(percent, "", false) // no job was measured
        : new Bars.Bar(percent, String.format(Locale.ROOT, "%.1f", percent), false);
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
    return count == 0 ? Double.NaN : 100.0 * violations / count;
  }
}
