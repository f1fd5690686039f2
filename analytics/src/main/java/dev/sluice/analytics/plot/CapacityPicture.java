package dev.sluice.analytics.plot;

import java.awt.Color;
import java.util.List;
import org.knowm.xchart.XYChart;

/**
 * Load against p99 and goodput: a point for each run, and for each policy a line: the rising fit
 * through the p99s, and the means of the goodput, which falls again under too much load.
 */
public final class CapacityPicture {
  private CapacityPicture() {}

  /**
   * A policy's runs, by rate.
   *
   * @param p99Ms p99 of each run in ms; not finite: the run has no point, and no place on the line
   * @param p99Fit rising fit through the finite ones, at the rates of those
   * @param goodput goodput of each run in jobs/s
   * @param meanRates rates, each once
   * @param goodputMeans mean goodput at these rates
   */
  public record Runs(
      String policy,
      double[] rates,
      double[] p99Ms,
      double[] p99Rates,
      double[] p99Fit,
      double[] goodput,
      double[] meanRates,
      double[] goodputMeans) {}

  /** The picture as the bytes of a PNG file. */
  public static byte[] png(String title, List<Runs> policies) {
    var frame = new Frame(title);
    XYChart latency = ChartStyle.xyChart("", "p99 latency, ms");
    XYChart goodput = ChartStyle.xyChart("load, jobs/s", "goodput, jobs/s");
    latency.getStyler().setMarkerSize(7);
    goodput.getStyler().setMarkerSize(7);
    double least = Double.POSITIVE_INFINITY;
    double most = 0;
    for (int i = 0; i < policies.size(); i++) {
      Runs runs = policies.get(i);
      Color color = ChartStyle.ofWorkload(i);
      if (runs.p99Rates().length > 0) {
        ChartStyle.points(
            latency, runs.policy(), runs.p99Rates(), runs.p99Ms(), color, ChartStyle.marker(i));
        ChartStyle.line(
            latency,
            runs.policy() + ", fit",
            runs.p99Rates(),
            runs.p99Fit(),
            color,
            ChartStyle.stroke(i, 2));
        for (double ms : runs.p99Ms()) {
          least = Math.min(least, ms);
          most = Math.max(most, ms);
        }
      }
      ChartStyle.points(
          goodput, runs.policy(), runs.rates(), runs.goodput(), color, ChartStyle.marker(i));
      ChartStyle.line(
          goodput,
          runs.policy() + ", mean",
          runs.meanRates(),
          runs.goodputMeans(),
          color,
          ChartStyle.stroke(i, 2));
      frame.marker(runs.policy(), color, ChartStyle.marker(i));
      frame.line(
          runs.policy() + ": rising fit of the p99, means of the goodput",
          color,
          ChartStyle.stroke(i, 2));
    }
    if (most > 0 && least > 0) {
      latency.getStyler().setYAxisLogarithmic(true);
      latency.getStyler().setYAxisMin(ChartStyle.niceBelow(least));
      latency.getStyler().setYAxisMax(ChartStyle.niceAbove(most));
      latency.getStyler().setYAxisTickLabelsFormattingFunction(ChartStyle::tick);
    }
    return Picture.png(frame.above(latency, goodput));
  }
}
