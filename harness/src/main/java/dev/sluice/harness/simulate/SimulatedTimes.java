package dev.sluice.harness.simulate;

import dev.sluice.contract.event.BatchDispatched.Work;
import dev.sluice.contract.event.PredictionsPublished;
import dev.sluice.contract.experiment.Experiment;
import dev.sluice.contract.value.ModelKey;
import dev.sluice.executor.lane.Emulation;
import dev.sluice.scheduling.simulation.BlockSeries;
import dev.sluice.scheduling.simulation.Simulation.ServiceModel;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.DoubleSupplier;
import org.jspecify.annotations.Nullable;

/** Service times of an experiment's simulations. Not for several threads. */
abstract class SimulatedTimes implements ServiceModel {
  private final int lanes;

  /** Times and factors by model, then by samples; each batch asks for them twice. */
  private final Map<ModelKey, Map<Integer, OfModel>> known = new HashMap<>();

  @SuppressWarnings("ArrayRecordComponent") // compared by nobody
  private record OfModel(double[] nsByBusyLanes, Factor factor) {}

  /** Factor of one batch on the typical service time. */
  @FunctionalInterface
  interface Factor {
    double of(Work batch, long startsAtNs);
  }

  private SimulatedTimes(int lanes) {
    this.lanes = lanes;
  }

  /** Typical service time in nanoseconds; busyLanes counts the lane itself. */
  abstract double meanNs(ModelKey model, int samples, int busyLanes);

  /** Factors of the model's batches with that many samples on the typical service time. */
  abstract Factor factor(ModelKey model, int samples);

  /**
   * A number that none of these factors is below; NaN if there is none for all schedules.
   *
   * @param leastNormal gives the least normal number that the noise of emulated batches is made of
   */
  abstract double factorMin(ModelKey model, int samples, DoubleSupplier leastNormal);

  /**
   * Service times as emulated lanes take them.
   *
   * @param residuals noise of a recorded run, which is played; null: noise is drawn by seed
   */
  static SimulatedTimes of(
      Experiment experiment, Emulation emulation, @Nullable List<Profile.Residual> residuals) {
    long seed = SimulatedExperiment.noiseSeed(experiment);
    BlockSeries<Profile.Residual> series =
        residuals == null ? null : new BlockSeries<>(residuals, Profile.Residual::atNs, seed);
    return new SimulatedTimes(experiment.lanes().count()) {
      @Override
      double meanNs(ModelKey model, int samples, int busyLanes) {
        return emulation.meanNs(model, samples, busyLanes);
      }

      @Override
      Factor factor(ModelKey model, int samples) {
        if (series != null) {
          return (batch, startsAtNs) ->
              emulation.drift(startsAtNs) * series.at(startsAtNs).factor();
        }
        double spread = emulation.spread(model, samples);
        return spread == 0
            ? (batch, startsAtNs) -> emulation.drift(startsAtNs)
            : (batch, startsAtNs) ->
                emulation.drift(startsAtNs)
                    * Emulation.noise(seed, batch.jobs().get(0).jobId(), batch.attempt(), spread);
      }

      @Override
      double factorMin(ModelKey model, int samples, DoubleSupplier leastNormal) {
        return residuals == null
            ? emulation.factorMin(model, samples, leastNormal)
            : emulation.driftMin()
                * residuals.stream().mapToDouble(Profile.Residual::factor).min().orElseThrow();
      }
    };
  }

  /**
   * Service times of a table of predictions, each batch off by one of the table's residuals, drawn
   * by seed, first job and attempt.
   */
  static SimulatedTimes of(Experiment experiment, PredictionsPublished table) {
    return of(table, SimulatedExperiment.noiseSeed(experiment), experiment.lanes().count());
  }

  static SimulatedTimes of(PredictionsPublished table, long seed, int lanes) {
    Map<ModelKey, List<List<Long>>> meanNs = new HashMap<>();
    table.services().forEach(s -> meanNs.put(s.model(), s.meanNs()));
    Map<List<String>, List<Double>> residuals = new HashMap<>();
    table
        .calibrations()
        .forEach(c -> residuals.put(List.of(c.workload(), c.backend()), c.residuals()));
    return new SimulatedTimes(lanes) {
      @Override
      double meanNs(ModelKey model, int samples, int busyLanes) {
        List<List<Long>> byBusyLanes = meanNs.getOrDefault(model, List.of());
        return byBusyLanes.get(Math.min(busyLanes, byBusyLanes.size()) - 1).get(samples - 1);
      }

      @Override
      Factor factor(ModelKey model, int samples) {
        List<Double> sorted =
            residuals.getOrDefault(List.of(model.workload(), model.backend()), List.of());
        return (batch, startsAtNs) ->
            sorted.isEmpty()
                ? 1
                : StrictMath.exp(
                    between(
                        sorted,
                        Emulation.uniform(seed, batch.jobs().get(0).jobId(), batch.attempt())));
      }

      @Override
      double factorMin(ModelKey model, int samples, DoubleSupplier leastNormal) {
        return Double.NaN; // the table ends where the experiment's own policy does
      }
    };
  }

  /** The quantile of sorted values, linear between two of them. */
  private static double between(List<Double> sorted, double probability) {
    double at = probability * (sorted.size() - 1);
    int below = Math.min((int) at, sorted.size() - 1);
    int above = Math.min(below + 1, sorted.size() - 1);
    return sorted.get(below) + (at - below) * (sorted.get(above) - sorted.get(below));
  }

  private OfModel ofModel(Work batch) {
    ModelKey model = batch.model();
    int samples = batch.samples();
    Map<Integer, OfModel> bySamples = known.computeIfAbsent(model, any -> new HashMap<>());
    OfModel times = bySamples.get(samples);
    if (times == null) {
      times = new OfModel(nsByBusyLanes(model, samples), factor(model, samples));
      bySamples.put(samples, times);
    }
    return times;
  }

  private double[] nsByBusyLanes(ModelKey model, int samples) {
    var ns = new double[lanes];
    boolean same = true;
    for (int busyLanes = 1; busyLanes <= lanes; busyLanes++) {
      ns[busyLanes - 1] = meanNs(model, samples, busyLanes);
      same &= ns[busyLanes - 1] == ns[0];
    }
    return same ? new double[] {ns[0]} : ns;
  }

  @Override
  public double[] nsByBusyLanes(Work batch) {
    return ofModel(batch).nsByBusyLanes;
  }

  @Override
  public double factor(Work batch, long startsAtNs) {
    return ofModel(batch).factor.of(batch, startsAtNs);
  }
}
