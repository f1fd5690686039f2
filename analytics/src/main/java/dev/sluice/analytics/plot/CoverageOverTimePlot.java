package dev.sluice.analytics.plot;

import dev.sluice.analytics.figure.PredictionFigures;
import dev.sluice.analytics.figure.PredictionFigures.UpperBound;
import dev.sluice.analytics.fold.RunRows;
import dev.sluice.analytics.row.Batches.BatchRow;
import dev.sluice.analytics.row.Summary;
import java.awt.BasicStroke;
import java.awt.image.BufferedImage;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * Share of batches that took longer than their predicted p95 and p99, over the last {@value
 * #BATCHES_MIN} that ended, or the last twentieth of all if that is more. The dashed lines are the
 * promised shares. Only dispatches that ended measured jobs as done count.
 */
final class CoverageOverTimePlot implements Plots.Drawing {
  private static final int BATCHES_MIN = 100;
  private static final int POINTS_MAX = 2_000;

  @Override
  public Optional<BufferedImage> draw(RunRows run, Summary summary, PictureFrame frame) {
    var chart = new XyChart("time since time zero, s", "batches longer than their bound, %");
    List<BatchRow> rows =
        PredictionFigures.predicted(run).stream()
            .sorted(Comparator.comparingLong(BatchRow::finishedAtNs))
            .toList();
    double toS = 0;
    double top = 0;
    for (UpperBound bound : UpperBound.values()) {
      List<BatchRow> judged = rows.stream().filter(bound::isGiven).toList();
      if (judged.size() >= BATCHES_MIN) {
        top = Math.max(top, addCurve(chart, frame, bound, judged));
        toS = Math.max(toS, judged.get(judged.size() - 1).finishedAtNs() / 1e9);
      }
    }
    if (toS == 0) {
      return Optional.empty();
    }
    double fromS = run.windowStartNs() / 1e9;
    for (UpperBound bound : UpperBound.values()) {
      double promised = 100 * (1 - bound.probability());
      chart.level(promised, fromS, toS, ChartStyle.ofBound(bound), ChartStyle.EDGE);
    }
    frame.line("promised shares", ChartStyle.QUIET, ChartStyle.EDGE);
    chart.x(fromS, toS).y(0, Math.max(10, 1.1 * top));
    return Optional.of(frame.beside(chart));
  }

  /** Adds a curve and returns its highest point. */
  private static double addCurve(
      XyChart chart, PictureFrame frame, UpperBound bound, List<BatchRow> judged) {
    int last = Math.max(BATCHES_MIN, judged.size() / 20);
    int curve = judged.size() - last + 1;
    int step = (curve + POINTS_MAX - 1) / POINTS_MAX;
    var steps = new ChartStyle.Steps(judged.get(last - 1).finishedAtNs() / 1e9, Double.NaN);
    int missed = 0;
    double top = 0;
    for (int i = 0; i < judged.size(); i++) {
      missed += bound.isMissed(judged.get(i)) ? 1 : 0;
      missed -= i >= last && bound.isMissed(judged.get(i - last)) ? 1 : 0;
      int place = i - last + 1;
      if (place >= 0 && place % step == 0) {
        double percent = 100.0 * missed / last;
        steps.to(judged.get(i).finishedAtNs() / 1e9, percent);
        top = Math.max(top, percent);
      }
    }
    String name =
        String.format(
            Locale.ROOT,
            "%s (%.0f %% promised), of the last %d batches",
            bound.text(),
            100 * (1 - bound.probability()),
            last);
    BasicStroke stroke = ChartStyle.stroke(bound == UpperBound.P95 ? 0 : 4, 1.8f);
    chart.curve(steps, ChartStyle.ofBound(bound), stroke);
    frame.line(name, ChartStyle.ofBound(bound), stroke);
    return top;
  }
}
