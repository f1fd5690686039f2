package dev.sluice.executor.latency;

import dev.sluice.contract.event.PredictionsPublished;
import dev.sluice.contract.event.PredictionsPublished.Calibration;
import dev.sluice.contract.event.PredictionsPublished.Service;
import dev.sluice.contract.value.ModelKey;
import dev.sluice.executor.latency.LatencyModel.Reach;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.DoubleStream;

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
  public boolean isKnownTo(LatencyModel model) {
    return models.stream().anyMatch(key -> model.knows(key(key, 1, 1)));
  }

  private LatencyKey key(ModelKey model, int samples, int busyLanes) {
    return new LatencyKey(model, threads, samples, busyLanes);
  }

  /**
   * Fills the table from a latency model. Models that the latency model does not know are left out:
   * the scheduler predicts them by other means.
   *
   * @param tableVersion number above those of earlier tables for the device kind
   * @throws IllegalArgumentException if the model knows none of the lanes' models
   */
  public PredictionsPublished fill(LatencyModel model, String executorId, long tableVersion) {
    Set<Reach> reaches = EnumSet.noneOf(Reach.class);
    List<Service> services =
        models.stream()
            .filter(key -> model.knows(key(key, 1, 1)))
            .map(key -> service(model, key, reaches))
            .toList();
    List<Calibration> calibrations =
        services.stream()
            .map(service -> new Calibration(service.workload(), service.backend(), List.of()))
            .distinct()
            .sorted(Comparator.comparing(Calibration::workload).thenComparing(Calibration::backend))
            .map(
                of ->
                    with(
                        of,
                        reaches.stream()
                            .map(reach -> model.residuals(of.workload(), of.backend(), reach))
                            .flatMapToDouble(Arrays::stream)))
            .toList();
    return new PredictionsPublished(
        executorId, model.deviceKind(), model.version(), tableVersion, services, calibrations);
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

  /** Returns a calibration with further residuals, all of them in one list. */
  private static Calibration with(Calibration calibration, DoubleStream more) {
    double most = PredictionsPublished.RESIDUAL_MAX;
    double[] all =
        DoubleStream.concat(calibration.residuals().stream().mapToDouble(r -> r), more)
            .map(residual -> Math.max(-most, Math.min(most, residual)))
            .sorted()
            .toArray();
    double[] thinned = Conformal.thinned(all, PredictionsPublished.RESIDUALS_MAX);
    return new Calibration(
        calibration.workload(), calibration.backend(), Arrays.stream(thinned).boxed().toList());
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
   *
   * @param more residuals by workload and backend
   */
  static PredictionsPublished withResiduals(
      PredictionsPublished table, Map<List<String>, List<Double>> more) {
    return new PredictionsPublished(
        table.executorId(),
        table.deviceKind(),
        table.modelVersion(),
        table.tableVersion(),
        table.services(),
        table.calibrations().stream()
            .map(
                of ->
                    with(
                        of,
                        more.getOrDefault(List.of(of.workload(), of.backend()), List.of()).stream()
                            .mapToDouble(r -> r)))
            .toList());
  }
}
