package dev.sluice.analytics.plot;

import dev.sluice.analytics.fold.RunRows;
import dev.sluice.analytics.folder.Summary;
import dev.sluice.analytics.row.Jobs;
import java.awt.Paint;
import java.awt.image.BufferedImage;
import java.util.ArrayList;
import java.util.Arrays;
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
  public Optional<BufferedImage> draw(RunRows run, Summary summary, PictureFrame frame) {
    if (run.measuredCount() == 0) {
      return Optional.empty();
    }
    List<String> groups = new ArrayList<>(run.workloadNames());
    groups.add(ALL);
    List<String> classes = run.classNames();
    long[][][] counts = counts(run);
    var bars = new Bars(groups);
    double highest = 0;
    for (int i = 0; i < classes.size(); i++) {
      long[][] ofClass = counts[i]; // of each workload, then of all
      List<Double> percents = Arrays.stream(ofClass).map(SloViolationsPlot::percent).toList();
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
      frame.fill(
          classes.get(i) + " (" + ofClass[groups.size() - 1][0] + " jobs)",
          ChartStyle.ofClass(i),
          fill);
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

  private static double percent(long[] countAndViolations) {
    return countAndViolations[0] == 0
        ? Double.NaN
        : 100.0 * countAndViolations[1] / countAndViolations[0];
  }

  /** Number of measured jobs and of violations, of each class: of each workload, then of all. */
  private static long[][][] counts(RunRows run) {
    Jobs jobs = run.jobs();
    int all = run.workloadNames().size();
    var counts = new long[run.classNames().size()][all + 1][2];
    for (int i = 0; i < jobs.size(); i++) {
      int job = jobs.at(i);
      if (jobs.isMeasured(job)) {
        for (int group : new int[] {run.workloadOf(job), all}) {
          counts[run.classOf(job)][group][0]++;
          counts[run.classOf(job)][group][1] += jobs.isViolation(job) ? 1 : 0;
        }
      }
    }
    return counts;
  }
}
