package dev.sluice.executor.latency;

import dev.sluice.contract.event.PredictionsPublished;
import dev.sluice.contract.event.PredictionsPublished.Calibration;
import dev.sluice.contract.event.PredictionsPublished.Service;
import dev.sluice.contract.value.ModelKey;
import dev.sluice.executor.profile.LatencyKey;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/**
 * The reach of a table of predictions: every batch that one kind of lanes may run. A table holds
 * medians, so that single slow batches move nothing; where times are skewed, sums of predictions
 * understate sums of times.
 *
 * @param models models that the lanes can run
 * @param threads threads of each lane
 * @param lanes number of lanes that may be busy at once; at least 1
 * @param samplesMax most samples of one batch; at least 1
 */
public record PredictionTable(List<ModelKey> models, int threads, int lanes, int samplesMax) {
  public PredictionTable {
    models = List.copyOf(models);
    if (lanes < 1 || samplesMax < 1) {
      throw new IllegalArgumentException(
          "lanes (%d) and samplesMax (%d) must be at least 1".formatted(lanes, samplesMax));
    }
  }

  /** Returns whether the latency model knows any of the lanes' models. */
  public boolean isKnownTo(LatencyModel model) {
    return models.stream().anyMatch(key -> model.knows(key(key, 1, 1)));
  }

  /**
   * Fills the table from a latency model. Models that the latency model does not know are left out:
   * the scheduler predicts them by other means.
   *
   * @param executorId executor that publishes the table
   * @param tableVersion number above those of earlier tables for the device kind
   * @throws IllegalArgumentException if the model knows none of the lanes' models
   */
  public PredictionsPublished fill(LatencyModel model, String executorId, long tableVersion) {
    List<Service> services = new ArrayList<>();
    Set<List<String>> calibrated = new TreeSet<>(PredictionTable::compare);
    Set<Reach> reaches = EnumSet.noneOf(Reach.class);
    for (ModelKey key : models) {
      if (model.knows(key(key, 1, 1))) {
        services.add(service(model, key, reaches));
        calibrated.add(List.of(key.workload(), key.backend()));
      }
    }
    List<Calibration> calibrations = new ArrayList<>();
    for (List<String> place : calibrated) {
      calibrations.add(calibration(model, place.get(0), place.get(1), reaches));
    }
    return new PredictionsPublished(
        executorId, model.deviceKind(), model.version(), tableVersion, services, calibrations);
  }

  private static int compare(List<String> a, List<String> b) {
    int byWorkload = a.get(0).compareTo(b.get(0));
    return byWorkload != 0 ? byWorkload : a.get(1).compareTo(b.get(1));
  }

  private LatencyKey key(ModelKey model, int samples, int busyLanes) {
    return new LatencyKey(model, threads, samples, busyLanes);
  }

  private Service service(LatencyModel model, ModelKey key, Set<Reach> reaches) {
    List<List<Long>> byBusyLanes = new ArrayList<>();
    for (int busyLanes = 1; busyLanes <= lanes; busyLanes++) {
      List<Long> bySamples = new ArrayList<>();
      for (int samples = 1; samples <= samplesMax; samples++) {
        LatencyKey asked = key(key, samples, busyLanes);
        reaches.add(model.reach(asked));
        double ns = Math.rint(model.predictNs(asked));
        bySamples.add((long) Math.max(1, Math.min(PredictionsPublished.MEAN_NS_MAX, ns)));
      }
      byBusyLanes.add(bySamples);
    }
    return new Service(key, byBusyLanes);
  }

  /** Returns the residuals at every reach that some key of the table has, all in one list. */
  private static Calibration calibration(
      LatencyModel model, String workload, String backend, Set<Reach> reaches) {
    double[] all =
        reaches.stream()
            .flatMapToDouble(reach -> Arrays.stream(model.residuals(workload, backend, reach)))
            .map(PredictionTable::bounded)
            .sorted()
            .toArray();
    double[] thinned = Conformal.thinned(all, PredictionsPublished.RESIDUALS_MAX);
    return new Calibration(workload, backend, Arrays.stream(thinned).boxed().toList());
  }

  static double bounded(double residual) {
    double most = PredictionsPublished.RESIDUAL_MAX;
    return Math.max(-most, Math.min(most, residual));
  }

  /** Returns the mean that a published table holds; {@link Double#NaN} where it holds none. */
  static double meanNs(PredictionsPublished table, ModelKey model, int samples, int busyLanes) {
    for (Service service : table.services()) {
      if (service.model().equals(model)) {
        List<List<Long>> meanNs = service.meanNs();
        List<Long> bySamples = meanNs.get(Math.min(busyLanes, meanNs.size()) - 1);
        return samples > bySamples.size() ? Double.NaN : bySamples.get(samples - 1);
      }
    }
    return Double.NaN;
  }

  /**
   * Returns the table with further residuals in its calibration, from rows that the model was not
   * fitted to.
   */
  static PredictionsPublished withResiduals(
      PredictionsPublished table, Map<List<String>, List<Double>> more) {
    List<Calibration> calibrations = new ArrayList<>();
    for (Calibration calibration : table.calibrations()) {
      List<Double> all = new ArrayList<>(calibration.residuals());
      all.addAll(
          more.getOrDefault(List.of(calibration.workload(), calibration.backend()), List.of()));
      double[] sorted = all.stream().mapToDouble(r -> r).sorted().toArray();
      double[] thinned = Conformal.thinned(sorted, PredictionsPublished.RESIDUALS_MAX);
      calibrations.add(
          new Calibration(
              calibration.workload(),
              calibration.backend(),
              Arrays.stream(thinned).boxed().toList()));
    }
    return new PredictionsPublished(
        table.executorId(),
        table.deviceKind(),
        table.modelVersion(),
        table.tableVersion(),
        table.services(),
        calibrations);
  }
}
