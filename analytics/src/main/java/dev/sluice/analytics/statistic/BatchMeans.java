package dev.sluice.analytics.statistic;

import java.util.ArrayList;
import java.util.List;
import org.apache.commons.statistics.distribution.NormalDistribution;

/**
 * Means of batches of one series in time, whose neighbours resemble each other.
 *
 * <p>The series is cut into {@value #BATCHES} batches of equal length, whose means are nearly
 * independent if the batches are long beside the memory of the series; Student's t over these means
 * gives the interval of the series' mean (A. M. Law, Simulation Modeling and Analysis, 5th edition
 * 2015, section 9.5.3). Whether the batches are long enough is tested, by von Neumann's ratio with
 * one-sided 5 %, on the means themselves and on those of half batches, which show a correlation
 * that {@value #BATCHES} means are too few to show (G. S. Fishman, Grouping Observations in Digital
 * Simulation, Management Science 24, 1978).
 *
 * @param means mean of each batch, in the order of time; empty if the series is too short
 * @param correlated true if neighbours resemble each other, so that the interval is too narrow
 */
public record BatchMeans(List<Double> means, boolean correlated) {
  /** Number of batches. */
  public static final int BATCHES = 20;

  /** Shortest series: one value for each half batch. */
  public static final int VALUES_MIN = 2 * BATCHES;

  private static final double LEVEL = 0.05;

  /**
   * Returns the batch means of a series.
   *
   * @param series values in the order of time, of equal weight: a value for each job, or for each
   *     stretch of equal length
   */
  public static BatchMeans of(double[] series) {
    if (series.length < VALUES_MIN) {
      return new BatchMeans(List.of(), false);
    }
    List<Double> means = cut(series, BATCHES);
    return new BatchMeans(means, correlate(means) || correlate(cut(series, 2 * BATCHES)));
  }

  /** True if the interval can be trusted: the series was long enough, and its batches too. */
  public boolean isTrusted() {
    return !means.isEmpty() && !correlated;
  }

  /** The means of equal stretches: their lengths differ by at most one value. */
  private static List<Double> cut(double[] series, int count) {
    List<Double> means = new ArrayList<>(count);
    int from = 0;
    for (int batch = 1; batch <= count; batch++) {
      int to = Math.toIntExact((long) series.length * batch / count);
      double sum = 0;
      for (int i = from; i < to; i++) {
        sum += series[i];
      }
      means.add(sum / (to - from));
      from = to;
    }
    return means;
  }

  /**
   * The correlation of a batch's mean with the next one's, estimated as 1 − von Neumann's ratio; 0
   * if all means are equal.
   */
  static double correlation(List<Double> means) {
    double mean = means.stream().mapToDouble(v -> v).average().orElseThrow();
    double squares = 0;
    double steps = 0;
    for (int i = 0; i < means.size(); i++) {
      squares += (means.get(i) - mean) * (means.get(i) - mean);
      if (i > 0) {
        double step = means.get(i) - means.get(i - 1);
        steps += step * step;
      }
    }
    return squares == 0 ? 0 : 1 - steps / (2 * squares);
  }

  /** True if at most one of twenty series of independent means would have means as much alike. */
  private static boolean correlate(List<Double> means) {
    double n = means.size();
    double z = correlation(means) * Math.sqrt((n * n - 1) / (n - 2));
    return z > NormalDistribution.of(0, 1).inverseSurvivalProbability(LEVEL);
  }
}
