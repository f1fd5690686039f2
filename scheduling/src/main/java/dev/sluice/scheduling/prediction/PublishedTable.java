package dev.sluice.scheduling.prediction;

import dev.sluice.contract.event.PredictionsPublished;
import dev.sluice.contract.event.PredictionsPublished.Calibration;
import dev.sluice.contract.event.PredictionsPublished.Service;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A published table of mean service times, for a look-up in nanoseconds. */
final class PublishedTable {
  final PredictionsPublished fact;
  private final Map<List<String>, Row> rows = new HashMap<>();
  private final Map<List<String>, double[]> residuals = new HashMap<>();

  PublishedTable(PredictionsPublished fact) {
    this.fact = fact;
    for (Service service : fact.services()) {
      rows.put(
          List.of(service.workload(), service.backend(), service.precision()),
          new Row(service.meanNs()));
    }
    for (Calibration calibration : fact.calibrations()) {
      residuals.put(
          List.of(calibration.workload(), calibration.backend()),
          calibration.residuals().stream().mapToDouble(Double::doubleValue).toArray());
    }
  }

  /** Returns the means of a model; null: it is not in the table. */
  @Nullable Row row(String workload, String backend, String precision) {
    return rows.get(List.of(workload, backend, precision));
  }

  /**
   * Returns the calibration residuals of a workload and backend, ascending; empty if there are
   * none.
   */
  double[] residuals(String workload, String backend) {
    return residuals.getOrDefault(List.of(workload, backend), new double[0]);
  }

  /** The means of one model. */
  static final class Row {
    /** By busy lanes - 1, then samples - 1. */
    private final long[][] meanNs;

    /** By samples - 1, whatever the busy lanes. */
    private final long[] leastNs;

    Row(List<List<Long>> meanNs) {
      this.meanNs =
          meanNs.stream()
              .map(bySamples -> bySamples.stream().mapToLong(Long::longValue).toArray())
              .toArray(long[][]::new);
      leastNs = this.meanNs[0].clone();
      for (long[] bySamples : this.meanNs) {
        for (int i = 0; i < leastNs.length; i++) {
          leastNs[i] = Math.min(leastNs[i], bySamples[i]);
        }
      }
    }

    /** Returns whether the table holds that number of samples, so that nothing is scaled. */
    boolean holds(int samples) {
      return samples <= leastNs.length;
    }

    /** So many samples, or the most that it holds if they are fewer. */
    int nearest(int samples) {
      return Math.min(samples, leastNs.length);
    }

    /**
     * Returns the mean; of more lanes or samples than it holds that of the most, scaled by samples.
     */
    double meanNs(int samples, int busyLanes) {
      return at(meanNs[Math.min(busyLanes, meanNs.length) - 1], samples);
    }

    /** Returns the least mean over the busy lanes. */
    double leastNs(int samples) {
      return at(leastNs, samples);
    }

    private static double at(long[] bySamples, int samples) {
      int most = bySamples.length;
      return samples <= most
          ? bySamples[samples - 1]
          : (double) bySamples[most - 1] * samples / most;
    }
  }
}
