package dev.sluice.analytics.plot;

import dev.sluice.analytics.fold.RunRows;
import dev.sluice.analytics.summary.Summary;
import java.awt.image.BufferedImage;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.knowm.xchart.CategoryChart;
import org.knowm.xchart.CategoryChartBuilder;

/**
 * Percentiles of end-to-end latency over all measured jobs, by class. A percentile that falls on a
 * job that was not done has no bar, and the legend says none.
 */
final class LatencyPercentilesPlot implements Plot {
  private static final List<String> PERCENTILES = List.of("p50", "p95", "p99");

  private static final double LINEAR_UP_TO_RATIO = 20;

  @Override
  public String subject() {
    return "Latency percentiles";
  }

  @Override
  public Optional<BufferedImage> draw(RunRows run, Summary summary) {
    CategoryChart chart =
        new CategoryChartBuilder()
            .width(ChartStyle.WIDTH)
            .height(ChartStyle.HEIGHT)
            .title(ChartStyle.title(subject(), run))
            .xAxisTitle("percentile over all measured jobs")
            .yAxisTitle("intended arrival to end, ms")
            .build();
    ChartStyle.apply(chart.getStyler());
    List<String> classes = run.classNames();
    double least = Double.POSITIVE_INFINITY;
    double most = 0;
    for (int i = 0; i < classes.size(); i++) {
      List<Double> values = new ArrayList<>();
      List<String> missing = new ArrayList<>();
      for (String percentile : PERCENTILES) {
        Double value = summary.figure(classes.get(i) + "_" + percentile + "_e2e_ms");
        if (value == null || value.isInfinite()) {
          missing.add(percentile);
          values.add(Double.NaN);
        } else {
          values.add(value);
          least = Math.min(least, value);
          most = Math.max(most, value);
        }
      }
      String name =
          classes.get(i) + (missing.isEmpty() ? "" : " (" + String.join(", ", missing) + ": none)");
      chart.addSeries(name, PERCENTILES, values).setFillColor(ChartStyle.ofClass(i));
    }
    if (most == 0) {
      return Optional.empty();
    }
    chart.getStyler().setAvailableSpaceFill(0.6);
    chart.getStyler().setLabelsVisible(true);
    chart.getStyler().setLabelsPosition(1.03);
    chart.getStyler().setLabelsFont(ChartStyle.TEXT);
    chart.getStyler().setLabelsFontColor(ChartStyle.INK);
    chart.getStyler().setLabelsFontColorAutomaticEnabled(false);
    chart.getStyler().setDecimalPattern("#,##0.#");
    chart.getStyler().setPlotGridVerticalLinesVisible(false);
    if (most / least > LINEAR_UP_TO_RATIO) {
      chart.getStyler().setYAxisLogarithmic(true);
      chart.getStyler().setYAxisMin(Math.pow(10, Math.floor(Math.log10(least / 2))));
      chart.getStyler().setYAxisMax(ChartStyle.niceAbove(1.2 * most));
      chart.getStyler().setYAxisTickLabelsFormattingFunction(ChartStyle::tick);
    } else {
      chart.getStyler().setYAxisMin(0.0);
      chart.getStyler().setYAxisMax(1.15 * most);
    }
    return Optional.of(ChartStyle.image(chart));
  }
}
