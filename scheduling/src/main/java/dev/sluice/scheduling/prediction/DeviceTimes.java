package dev.sluice.scheduling.prediction;

import dev.sluice.contract.event.PredictionsPublished;
import dev.sluice.contract.event.PredictionsPublished.Calibration;
import dev.sluice.contract.event.PredictionsPublished.Service;
import dev.sluice.contract.value.ModelKey;
import dev.sluice.contract.value.Prediction;
import dev.sluice.scheduling.driver.CoreEntity;
import dev.sluice.scheduling.driver.CoreSettings;
import dev.sluice.scheduling.prediction.Correction.Factor;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A device kind's published table, and the corrections and bounds that completions taught. */
final class DeviceTimes {
  final String deviceKind;
  private final CoreSettings.Predictor settings;
  final Factor factor = new Factor();
  private final Map<List<String>, Workload> workloads = new LinkedHashMap<>();
  @Nullable PublishedTable table;

  DeviceTimes(String deviceKind, CoreSettings.Predictor settings) {
    this.deviceKind = deviceKind;
    this.settings = settings;
  }

  Workload workload(String workload, String backend) {
    return workloads.computeIfAbsent(
        List.of(workload, backend), key -> new Workload(workload, backend));
  }

  /** Takes the table of another core's state, without anything learnt about it. */
  void restore(PublishedTable published) {
    table = published;
    workloads.values().forEach(Workload::calibrate);
  }

  /**
   * Takes a newer table. The correction starts anew, for a table may hold what it had learnt: each
   * workload from what its last completions say of the new table, so that nothing is learnt twice
   * and nothing forgotten. The residuals and the miss rates stay: they tell of the run's noise.
   */
  void publish(PublishedTable published) {
    restore(published);
    factor.set(0);
    workloads.values().forEach(workload -> workload.restart(published));
  }

  void addTo(List<CoreEntity> entities) {
    if (table != null) {
      entities.add(new CoreEntity.Published(table.fact));
      entities.add(new CoreEntity.DeviceCorrection(deviceKind, factor.log));
    }
    workloads.values().forEach(workload -> workload.addTo(entities));
  }

  /** The lessons of completions of one workload and backend. */
  final class Workload {
    /** Largest number of latest completions from which the correction of a new table starts. */
    private static final int RESTART_MAX = 15;

    /** Least number of completions from which the correction of a new table starts. */
    private static final int RESTART_MIN = 5;

    private final String workload;
    private final String backend;
    private final Correction correction = new Correction();
    private final ConformalBounds bounds = new ConformalBounds(settings.quantile(), 0.95, 0.99);
    private final CoreEntity.@Nullable Observed[] observed =
        new CoreEntity.Observed[ConformalBounds.WINDOW];

    Workload(String workload, String backend) {
      this.workload = workload;
      this.backend = backend;
      calibrate();
    }

    private void calibrate() {
      if (table != null) {
        bounds.calibrate(table.residuals(workload, backend));
      }
    }

    private void restart(PublishedTable published) {
      List<Double> logs = new ArrayList<>();
      for (int i = 0; i < Math.min(RESTART_MAX, bounds.remembered()); i++) {
        CoreEntity.Observed batch = observed[bounds.slot(i)];
        PublishedTable.Row row =
            batch == null
                ? null
                : published.row(new ModelKey(workload, backend, batch.precision()));
        if (batch != null && row != null) {
          double tableNs = row.meanNs(batch.samples(), batch.busyLanes());
          logs.add(StrictMath.log(batch.serviceNs() / tableNs));
        }
      }
      logs.sort(null);
      correction.restart(logs.size() < RESTART_MIN ? 0 : logs.get(logs.size() / 2), 0);
    }

    /** Returns the factor by which the device kind and the workload correct predictions. */
    double correctionFactor() {
      return factor.value * correction.workload.value;
    }

    /** Returns a bound / the mean. Levels: 0 for the settings' quantile, 1 for p95, 2 for p99. */
    double boundFactor(int level) {
      return bounds.factor(level);
    }

    /** Takes in the service time of a completed batch with its prediction. */
    void observe(
        String precision, int samples, int busyLanes, Prediction predicted, long serviceNs) {
      judge(0, predicted.quantileNs(), serviceNs);
      judge(1, predicted.p95Ns(), serviceNs);
      judge(2, predicted.p99Ns(), serviceNs);
      double residual = StrictMath.log((double) serviceNs / predicted.meanNs());
      int slot = bounds.observe(residual);
      observed[slot] =
          new CoreEntity.Observed(
              deviceKind,
              workload,
              backend,
              slot,
              precision,
              samples,
              busyLanes,
              serviceNs,
              residual);
    }

    private void judge(int level, @Nullable Long boundNs, long serviceNs) {
      if (boundNs != null) {
        bounds.judge(level, serviceNs > boundNs);
      }
    }

    /** Corrects predictions by a batch whose mean the table has, and the factor of its samples. */
    void correct(double tableNs, long serviceNs, Factor ofSamples) {
      correction.learn(StrictMath.log(serviceNs / tableNs), factor, ofSamples);
    }

    private void addTo(List<CoreEntity> entities) {
      if (table != null || bounds.seen() > 0) {
        entities.add(toEntity());
      }
      for (CoreEntity.Observed batch : observed) {
        if (batch != null) {
          entities.add(batch);
        }
      }
    }

    CoreEntity.WorkloadCorrection toEntity() {
      return new CoreEntity.WorkloadCorrection(
          deviceKind,
          workload,
          backend,
          correction.workload.log,
          correction.run,
          Arrays.stream(bounds.missRates()).boxed().toList(),
          bounds.seen());
    }

    void restore(CoreEntity.Observed entity) {
      observed[entity.slot()] = entity;
    }

    /** Takes over the correction of another core; its completions were restored before. */
    void restore(CoreEntity.WorkloadCorrection entity) {
      correction.restart(entity.log(), entity.run());
      double[] residuals = new double[ConformalBounds.WINDOW];
      for (int slot = 0; slot < residuals.length; slot++) {
        CoreEntity.Observed batch = observed[slot];
        residuals[slot] = batch == null ? 0 : batch.residual();
      }
      bounds.restore(
          entity.seen(),
          entity.missRates().stream().mapToDouble(Double::doubleValue).toArray(),
          residuals);
    }
  }

  /** A published table of mean service times, for a look-up in nanoseconds. */
  static final class PublishedTable {
    final PredictionsPublished fact;
    private final Map<ModelKey, Row> rows = new HashMap<>();
    private final Map<List<String>, double[]> residuals = new HashMap<>();

    PublishedTable(PredictionsPublished fact) {
      this.fact = fact;
      for (Service service : fact.services()) {
        rows.put(service.model(), new Row(service.meanNs()));
      }
      for (Calibration calibration : fact.calibrations()) {
        residuals.put(
            List.of(calibration.workload(), calibration.backend()),
            calibration.residuals().stream().mapToDouble(Double::doubleValue).toArray());
      }
    }

    /** Returns the means of a model; null: it is not in the table. */
    @Nullable Row row(ModelKey model) {
      return rows.get(model);
    }

    /** Returns the residuals of a workload and backend, ascending; empty if there are none. */
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

      /** Returns the mean; beyond its lanes or samples that of the most, scaled by samples. */
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
}
