package dev.sluice.analytics.plot;

import dev.sluice.analytics.fold.DispatchRow;
import dev.sluice.analytics.fold.QueueCurve;
import dev.sluice.analytics.fold.RunRows;
import dev.sluice.analytics.summary.Summary;
import java.awt.Paint;
import java.awt.image.BufferedImage;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import org.jfree.data.xy.XYIntervalSeries;

/**
 * Batches over time: a bar for each in the row of its lane, colored by workload. A run with too
 * many batches to tell apart shows only the stretch in which the most jobs waited, and says which.
 */
final class LaneTimelinePlot implements Plot {
  private static final int BATCHES_PER_LANE_MAX = 40;
  private static final int STRETCHES_TRIED = 400;

  @Override
  public String subject() {
    return "Lanes";
  }

  @Override
  public Optional<BufferedImage> draw(RunRows run, Summary summary) {
    List<DispatchRow> ran = run.dispatches().stream().filter(DispatchRow::ran).toList();
    if (ran.isEmpty()) {
      return Optional.empty();
    }
    List<String> lanes =
        ran.stream()
            .sorted(
                Comparator.comparing((DispatchRow row) -> row.dispatch().place().executorId())
                    .thenComparing(row -> row.dispatch().place().lanes().get(0)))
            .map(DispatchRow::laneId)
            .distinct()
            .toList();
    Stretch stretch = stretch(run, ran, lanes.size());
    String title = ChartStyle.title(subject(), run);
    var frame = new Frame(stretch.whole() ? title : title + " · " + stretch.text());
    var chart = new TimelineChart();
    List<String> workloads = run.workloadNames();
    for (int i = 0; i < workloads.size(); i++) {
      XYIntervalSeries bars = bars(ran, lanes, stretch, workloads.get(i));
      if (bars.getItemCount() > 0) {
        Paint fill = ChartStyle.fill(i, ChartStyle.ofWorkload(i));
        chart.add(bars, fill);
        frame.fill(workloads.get(i), ChartStyle.ofWorkload(i), fill);
      }
    }
    return Optional.of(
        frame.around(
            chart.chart(
                "time since time zero, s",
                stretch.fromNs() / 1e9,
                stretch.toNs() / 1e9,
                "lane",
                lanes)));
  }

  /** A part of the run. */
  private record Stretch(long fromNs, long toNs, boolean whole) {
    String text() {
      return String.format(
          java.util.Locale.ROOT,
          "%.2f s to %.2f s, where most jobs waited",
          fromNs / 1e9,
          toNs / 1e9);
    }

    boolean overlaps(DispatchRow row) {
      return row.requireFinishedAtNs() > fromNs && row.requireStartedAtNs() < toNs;
    }
  }

  private static Stretch stretch(RunRows run, List<DispatchRow> ran, int lanes) {
    long firstNs = ran.stream().mapToLong(DispatchRow::requireStartedAtNs).min().orElseThrow();
    long lastNs = ran.stream().mapToLong(DispatchRow::requireFinishedAtNs).max().orElseThrow();
    long most = (long) BATCHES_PER_LANE_MAX * lanes;
    if (ran.size() <= most) {
      return new Stretch(Math.min(0, firstNs), lastNs, true);
    }
    long lengthNs = Math.max(1, (long) ((double) (lastNs - firstNs) * most / ran.size()));
    var queue = QueueCurve.of(run.jobs());
    Stretch best = new Stretch(firstNs, firstNs + lengthNs, false);
    double bestMean = -1;
    for (int i = 0; i < STRETCHES_TRIED; i++) {
      long fromNs = firstNs + (lastNs - firstNs - lengthNs) / STRETCHES_TRIED * i;
      double mean = queue.mean(fromNs, fromNs + lengthNs);
      if (mean > bestMean) {
        bestMean = mean;
        best = new Stretch(fromNs, fromNs + lengthNs, false);
      }
    }
    return best;
  }

  private static XYIntervalSeries bars(
      List<DispatchRow> ran, List<String> lanes, Stretch stretch, String workload) {
    List<DispatchRow> chosen = new ArrayList<>();
    for (DispatchRow row : ran) {
      if (row.model().workload().equals(workload) && stretch.overlaps(row)) {
        chosen.add(row);
      }
    }
    var series = new XYIntervalSeries(workload);
    for (DispatchRow row : chosen) {
      // the chart leaves out an item whose start lies before its axis
      double fromS = Math.max(row.requireStartedAtNs(), stretch.fromNs()) / 1e9;
      double toS = Math.min(row.requireFinishedAtNs(), stretch.toNs()) / 1e9;
      TimelineChart.bar(series, fromS, toS, lanes.indexOf(row.laneId()));
    }
    return series;
  }
}
