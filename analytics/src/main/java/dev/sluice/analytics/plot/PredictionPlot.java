package dev.sluice.analytics.plot;

import dev.sluice.analytics.figure.PredictionFigures;
import dev.sluice.analytics.figure.PredictionFigures.UpperBound;
import dev.sluice.analytics.fold.RunRows;
import dev.sluice.analytics.row.Batches.BatchRow;
import dev.sluice.analytics.row.Summary;
import java.awt.BasicStroke;
import java.awt.Color;
import java.awt.image.BufferedImage;
import java.util.DoubleSummaryStatistics;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;

/**
 * Predicted against real service times of the dispatches that ended measured jobs as done, by
 * workload. On the dashed line the prediction was right; on the lines above it the service took as
 * long as the upper bound allows in the median. Of very many dispatches the plot shows evenly
 * chosen ones.
 */
final class PredictionPlot implements Plots.Drawing {
  private static final int POINTS_MAX = 3_000;

  @Override
  public Optional<BufferedImage> draw(RunRows run, Summary summary, PictureFrame frame) {
    List<BatchRow> rows = PredictionFigures.predicted(run);
    if (rows.isEmpty()) {
      return Optional.empty();
    }
    var chart = new XyChart("predicted service time, ms", "actual service time, ms");
    int step = (rows.size() + POINTS_MAX - 1) / POINTS_MAX;
    List<String> workloads = run.workloadNames();
    for (int i = 0; i < workloads.size(); i++) {
      addPoints(chart, frame, rows, step, workloads.get(i), i);
    }
    var ms = new DoubleSummaryStatistics();
    for (BatchRow row : rows) {
      ms.accept(row.predictedNs() / 1e6);
      ms.accept(row.serviceNs() / 1e6);
    }
    double from = ChartStyle.niceBelow(ms.getMin());
    double to = ChartStyle.niceAbove(ms.getMax());
    double[] diagonal = {from, to};
    chart.line(diagonal, diagonal, ChartStyle.QUIET, ChartStyle.EDGE);
    frame.line("as predicted", ChartStyle.QUIET, ChartStyle.EDGE);
    for (UpperBound bound : UpperBound.values()) {
      Double over = summary.figure("prediction_" + bound.text() + "_over_median");
      if (over != null && over * from < to) {
        double[] xs = {from, Math.min(to, to / over)};
        double[] ys = {over * from, Math.min(to, over * to)};
        String name = "predicted " + bound.text();
        BasicStroke stroke = ChartStyle.stroke(bound == UpperBound.P95 ? 1 : 4, 1.6f);
        chart.line(xs, ys, ChartStyle.ofBound(bound), stroke);
        frame.line(name, ChartStyle.ofBound(bound), stroke);
      }
    }
    chart.logarithmicX(from, to).logarithmicY(from, to);
    return Optional.of(frame.beside(chart));
  }

  private static void addPoints(
      XyChart chart,
      PictureFrame frame,
      List<BatchRow> rows,
      int step,
      String workload,
      int index) {
    List<BatchRow> chosen =
        rows.stream().filter(batch -> batch.kind().model().workload().equals(workload)).toList();
    if (chosen.isEmpty()) {
      return;
    }
    IntStream places = IntStream.iterate(0, i -> i < chosen.size(), i -> i + step);
    List<BatchRow> points = places.mapToObj(chosen::get).toList();
    double[] xs = points.stream().mapToDouble(batch -> batch.predictedNs() / 1e6).toArray();
    double[] ys = points.stream().mapToDouble(batch -> batch.serviceNs() / 1e6).toArray();
    String name = workload + " (" + chosen.size() + " batches)";
    Color color = ChartStyle.ofWorkload(index);
    chart.points(xs, ys, color, ChartStyle.marker(index));
    frame.marker(name, color, ChartStyle.marker(index));
  }
}
