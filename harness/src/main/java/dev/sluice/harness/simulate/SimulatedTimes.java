package dev.sluice.harness.simulate;

import dev.sluice.contract.event.PredictionsPublished;
import dev.sluice.contract.value.ModelKey;
import dev.sluice.executor.emulation.Emulation;
import dev.sluice.scheduling.job.JobSpec;
import dev.sluice.scheduling.simulation.BlockSeries;
import dev.sluice.scheduling.simulation.ServiceModel;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Service times of one simulation, looked up once for each model and samples. Not for several
 * threads.
 */
final class SimulatedTimes implements ServiceModel {
  private final Source source;
  private final int lanes;
  private final Map<Key, double[]> nsByBusyLanes = new HashMap<>();

  /**
   * What a service time depends on. Equality is written by hand, since that of a record is slow in
   * the quick compiler, and each batch asks for it.
   */
  private record Key(String workload, String backend, String precision, int samples) {
    @Override
    public boolean equals(@Nullable Object other) {
      return other instanceof Key that
          && samples == that.samples
          && workload.equals(that.workload)
          && backend.equals(that.backend)
          && precision.equals(that.precision);
    }

    @Override
    public int hashCode() {
      return 31 * (31 * (31 * workload.hashCode() + backend.hashCode()) + precision.hashCode())
          + samples;
    }
  }

  /** Source of service times. Safe for many threads. */
  interface Source {
    /** Typical service time in nanoseconds; busyLanes counts the lane itself. */
    double meanNs(ModelKey model, int samples, int busyLanes);

    /** Factor of one batch on the typical service time. */
    double factor(ModelKey model, JobSpec first, int samples, int attempt, long startsAtNs);

    /** Service times as emulated lanes take them. */
    static Source of(Emulation emulation, long seed) {
      return new Source() {
        @Override
        public double meanNs(ModelKey model, int samples, int busyLanes) {
          return emulation.meanNs(model, samples, busyLanes);
        }

        @Override
        public double factor(
            ModelKey model, JobSpec first, int samples, int attempt, long startsAtNs) {
          double spread = emulation.spread(model, samples);
          // where nothing varies, no text of the job's id is made
          double noise = spread == 0 ? 1 : Emulation.noise(seed, first.id(), attempt, spread);
          return emulation.drift(startsAtNs) * noise;
        }
      };
    }

    /** Service times as emulated lanes take them, with noise played from a recorded run. */
    static Source of(Emulation emulation, Profile.Residuals residuals, long seed) {
      BlockSeries series = residuals.play(seed);
      return new Source() {
        @Override
        public double meanNs(ModelKey model, int samples, int busyLanes) {
          return emulation.meanNs(model, samples, busyLanes);
        }

        @Override
        public double factor(
            ModelKey model, JobSpec first, int samples, int attempt, long startsAtNs) {
          return emulation.drift(startsAtNs) * residuals.factors().get(series.row(startsAtNs));
        }
      };
    }

    /**
     * Service times of a table of predictions, each batch off by one of the table's residuals,
     * drawn by seed, first job and attempt.
     */
    static Source of(PredictionsPublished table, long seed) {
      Map<ModelKey, List<List<Long>>> meanNs = new HashMap<>();
      table.services().forEach(s -> meanNs.put(s.model(), s.meanNs()));
      Map<List<String>, List<Double>> residuals = new HashMap<>();
      table
          .calibrations()
          .forEach(c -> residuals.put(List.of(c.workload(), c.backend()), c.residuals()));
      return new Source() {
        @Override
        public double meanNs(ModelKey model, int samples, int busyLanes) {
          List<List<Long>> byBusyLanes = meanNs.getOrDefault(model, List.of());
          return byBusyLanes.get(Math.min(busyLanes, byBusyLanes.size()) - 1).get(samples - 1);
        }

        @Override
        public double factor(
            ModelKey model, JobSpec first, int samples, int attempt, long startsAtNs) {
          List<Double> sorted =
              residuals.getOrDefault(List.of(model.workload(), model.backend()), List.of());
          return sorted.isEmpty()
              ? 1
              : StrictMath.exp(between(sorted, Emulation.uniform(seed, first.id(), attempt)));
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
  }

  /**
   * @param lanes number of lanes that may be busy at once
   */
  SimulatedTimes(Source source, int lanes) {
    this.source = source;
    this.lanes = lanes;
  }

  private static ModelKey model(JobSpec job) {
    return new ModelKey(job.workload(), job.backend(), job.precision());
  }

  @Override
  public double[] nsByBusyLanes(JobSpec first, int samples) {
    var key = new Key(first.workload(), first.backend(), first.precision(), samples);
    double[] known = nsByBusyLanes.get(key);
    if (known == null) {
      known = look(model(first), samples);
      nsByBusyLanes.put(key, known);
    }
    return known;
  }

  private double[] look(ModelKey model, int samples) {
    var ns = new double[lanes];
    boolean same = true;
    for (int busyLanes = 1; busyLanes <= lanes; busyLanes++) {
      ns[busyLanes - 1] = source.meanNs(model, samples, busyLanes);
      same &= ns[busyLanes - 1] == ns[0];
    }
    return same ? new double[] {ns[0]} : ns;
  }

  @Override
  public double factor(JobSpec first, int samples, int attempt, long startsAtNs) {
    return source.factor(model(first), first, samples, attempt, startsAtNs);
  }
}
