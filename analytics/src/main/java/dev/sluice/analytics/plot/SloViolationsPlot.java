package dev.sluice.analytics.plot;

import dev.sluice.analytics.fold.RunRows;
import dev.sluice.analytics.row.Summary;
import dev.sluice.analytics.statistic.Decimals;
import java.awt.Paint;
import java.awt.image.BufferedImage;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** Share of the measured jobs that broke their promise, by workload and class. */
final class SloViolationsPlot implements Plots.Drawing {
  private static final String ALL = "all workloads";

  @Override
  public Optional<BufferedImage> draw(RunRows run, Summary summary, PictureFrame frame) {
    if (run.measured().isEmpty()) {
      return Optional.empty();
    }
    List<String> groups = new ArrayList<>(run.workloadNames());
    groups.add(ALL);
    List<String> classes = run.classNames();
    var bars = new Bars(groups);
    double highest = 0;
    for (int i = 0; i < classes.size(); i++) {
      String name = classes.get(i);
      List<Double> percents = new ArrayList<>();
      for (String workload : run.workloadNames()) {
        percents.add(percent(summary, "by_class_workload." + name + "." + workload + "."));
      }
      percents.add(percent(summary, name + "_"));
      for (double percent : percents) {
        highest = Double.isNaN(percent) ? highest : Math.max(highest, percent);
      }
      Paint fill = ChartStyle.fill(i, ChartStyle.ofClass(i));
      bars.add(ChartStyle.ofClass(i), fill, percents.stream().map(SloViolationsPlot::bar).toList());
      frame.fill(
          name + " (" + Decimals.plain(figure(summary, name + "_count")) + " jobs)",
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

  private static double percent(Summary summary, String prefix) {
    return 100 * figure(summary, prefix + "slo_violations") / figure(summary, prefix + "count");
  }

  private static double figure(Summary summary, String name) {
    Double value = summary.figure(name);
    return value == null ? Double.NaN : value;
  }
}
