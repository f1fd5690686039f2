package dev.sluice.analytics.plot;

import dev.sluice.analytics.fold.QueueCurve;
import dev.sluice.analytics.fold.RunRows;
import dev.sluice.analytics.row.Batches.BatchRow;
import dev.sluice.analytics.row.Summary;
import dev.sluice.contract.event.BatchDispatched;
import java.awt.Paint;
import java.awt.image.BufferedImage;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import org.jfree.data.xy.XYIntervalSeries;

/**
 * Batches over time: a bar for each in the row of its lane, colored by workload. The picture is as
 * high as its lanes need. A run with too many batches to tell apart shows only the stretch in which
 * the most jobs waited, and says which.
 */
final class LaneTimelinePlot implements Plots.Drawing {
  private static final int BATCHES_PER_LANE_MAX = 40;
  private static final int STRETCHES_TRIED = 400;

  @Override
  public Optional<BufferedImage> draw(RunRows run, Summary summary, PictureFrame frame) {
    List<BatchRow> ran = run.batches().all().stream().filter(BatchRow::ran).toList();
    if (ran.isEmpty()) {
      return Optional.empty();
    }
    List<String> lanes =
        ran.stream()
            .map(batch -> batch.kind().place())
            .distinct()
            .sorted(
                Comparator.comparing(BatchDispatched.Place::executorId)
                    .thenComparing(place -> place.lanes().get(0)))
            .map(place -> place.executorId() + "/" + place.lanes().get(0))
            .distinct()
            .toList();
    Stretch stretch = stretch(run, ran, lanes.size());
    if (!stretch.whole()) {
      frame.titled(stretch.text());
    }
    List<BatchRow> shown = ran.stream().filter(stretch::overlaps).toList();
    var chart = new TimelineChart();
    List<String> workloads = run.workloadNames();
    for (int i = 0; i < workloads.size(); i++) {
      XYIntervalSeries bars = bars(shown, lanes, stretch, workloads.get(i));
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
                lanes),
            TimelineChart.height(lanes.size())));
  }

  private record Stretch(long fromNs, long toNs, boolean whole) {
    String text() {
      return String.format(
          java.util.Locale.ROOT,
          "%.2f s to %.2f s, where most jobs waited",
          fromNs / 1e9,
          toNs / 1e9);
    }

    boolean overlaps(BatchRow batch) {
      return batch.finishedAtNs() > fromNs && batch.startedAtNs() < toNs;
    }
  }

  private static Stretch stretch(RunRows run, List<BatchRow> ran, int lanes) {
    long firstNs = ran.stream().mapToLong(BatchRow::startedAtNs).min().orElseThrow();
    long lastNs = ran.stream().mapToLong(BatchRow::finishedAtNs).max().orElseThrow();
    long most = (long) BATCHES_PER_LANE_MAX * lanes;
    if (ran.size() <= most) {
      return new Stretch(Math.min(0, firstNs), lastNs, true);
    }
    long lengthNs = Math.max(1, (long) ((double) (lastNs - firstNs) * most / ran.size()));
    var queue = QueueCurve.of(run, job -> true);
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
      List<BatchRow> shown, List<String> lanes, Stretch stretch, String workload) {
    var series = new XYIntervalSeries(workload);
    for (BatchRow batch : shown) {
      if (batch.kind().model().workload().equals(workload)) {
        // the chart leaves out an item whose start lies before its axis
        double fromS = Math.max(batch.startedAtNs(), stretch.fromNs()) / 1e9;
        double toS = Math.min(batch.finishedAtNs(), stretch.toNs()) / 1e9;
        TimelineChart.bar(series, fromS, toS, lanes.indexOf(batch.laneId()));
      }
    }
    return series;
  }
}
