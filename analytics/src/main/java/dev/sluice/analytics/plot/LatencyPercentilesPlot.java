package dev.sluice.analytics.plot;

import dev.sluice.analytics.fold.RunRows;
import dev.sluice.analytics.row.Summary;
import dev.sluice.analytics.statistic.NearestRank;
import java.awt.Paint;
import java.awt.image.BufferedImage;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Percentiles of end-to-end latency over all measured jobs, by class, with a mark at the class's
 * promise. The axis is the same in each run, from 1 ms to 100 s, so that pictures can be laid side
 * by side; whole powers of ten are added where a value needs them. A percentile that falls on a job
 * that was not done is infinite: a hollow bar up to the axis's end.
 */
final class LatencyPercentilesPlot implements Plots.Drawing {
  private static final List<String> PERCENTILES = List.of("p50", "p95", "p99");

  private static final double AXIS_FROM_MS = 1;
  private static final double AXIS_TO_MS = 100_000;
  private static final double LABEL_ROOM = 1.6;

  @Override
  public Optional<BufferedImage> draw(RunRows run, Summary summary, PictureFrame frame) {
    if (run.measuredDoneBatches().isEmpty()) {
      return Optional.empty();
    }
    List<String> classes = run.classNames();
    double least = AXIS_FROM_MS;
    double most = AXIS_TO_MS;
    for (String name : classes) {
      for (String percentile : PERCENTILES) {
        Double value = figure(summary, name, percentile);
        if (value != null && !value.isInfinite() && value > 0) {
          least = Math.min(least, Math.pow(10, Math.floor(Math.log10(value))));
          most = Math.max(most, Math.pow(10, Math.ceil(Math.log10(value))));
        }
      }
    }
    var bars = new Bars(PERCENTILES);
    boolean few = false;
    boolean infinite = false;
    for (int i = 0; i < classes.size(); i++) {
      List<Bars.Bar> row = new ArrayList<>();
      for (String percentile : PERCENTILES) {
        Double value = figure(summary, classes.get(i), percentile);
        Double count = summary.figure(classes.get(i) + "_count");
        boolean marked =
            percentile.equals("p99") && count != null && count < NearestRank.COUNT_FOR_P99;
        row.add(bar(value, marked, most));
        few |= marked && value != null;
        infinite |= value != null && value.isInfinite();
      }
      Paint fill = ChartStyle.fill(i, ChartStyle.ofClass(i));
      bars.add(ChartStyle.ofClass(i), fill, row);
      for (double sloMs : run.promisesMs(classes.get(i))) {
        bars.mark(Math.min(most, Math.max(least, sloMs)));
      }
      frame.fill(classes.get(i), ChartStyle.ofClass(i), fill);
    }
    frame.line("promise", ChartStyle.INK, Bars.markStroke());
    if (few) {
      frame.note("* of fewer than " + NearestRank.COUNT_FOR_P99 + " jobs");
    }
    if (infinite) {
      frame.note("∞ falls on a job that was not done");
    }
    return Optional.of(
        frame.around(
            bars.logarithmic(
                "intended arrival to end, ms",
                "percentile over all measured jobs",
                least,
                LABEL_ROOM * most)));
  }

  private static @Nullable Double figure(Summary summary, String name, String percentile) {
    return summary.figure(name + "_" + percentile + "_e2e_ms");
  }

  private static Bars.Bar bar(@Nullable Double ms, boolean few, double most) {
    if (ms == null) {
      return new Bars.Bar(Double.NaN, "", false);
    }
    String mark = few ? "*" : "";
    return ms.isInfinite()
        ? new Bars.Bar(most, "∞" + mark, true)
        : new Bars.Bar(ms, ChartStyle.tick(ms) + mark, false);
  }
}
