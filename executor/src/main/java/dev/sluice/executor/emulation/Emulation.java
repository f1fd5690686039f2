package dev.sluice.executor.emulation;

import static java.util.Objects.requireNonNull;

import dev.sluice.contract.event.ExecutorReported.Capability;
import dev.sluice.contract.event.ExecutorReported.WarmUp;
import dev.sluice.contract.experiment.Experiment;
import dev.sluice.contract.experiment.Experiment.LinearServiceTime;
import dev.sluice.contract.file.Numbers;
import dev.sluice.contract.file.UserMistakeException;
import dev.sluice.contract.value.ModelKey;
import dev.sluice.executor.emulation.EmulatedDevice.EmulatedTimes;
import dev.sluice.executor.lane.ExecutorSettings;
import dev.sluice.executor.lane.WarmedLanes;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.DoubleSupplier;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * Service times of batches on lanes that only pretend to compute: linear workloads by the
 * experiment's two numbers, without contention and noise, the others by a latency table. Live lanes
 * wait for these times, and a simulation uses the same ones. Immutable.
 */
public final class Emulation {
  /** Device kind of emulated lanes whose workloads are all linear. */
  private static final String LINEAR = "emulated-linear";

  private final String deviceKind;
  private final EmulatedTimes times;
  private final EmulatedDrift drift;

  private Emulation(String deviceKind, EmulatedTimes times, EmulatedDrift drift) {
    this.deviceKind = deviceKind;
    this.times = times;
    this.drift = drift;
  }

  /**
   * Returns an emulation of the experiment's workloads.
   *
   * @param table null: every workload must be linear
   * @param speed factor by which lanes are faster than their table; a speed other than 1 becomes
   *     part of the device kind
   * @param flopsPerSample FLOPs of one sample of a workload, by its name
   * @throws UserMistakeException if a workload is neither linear nor in the table
   */
  public static Emulation of(
      Experiment experiment,
      @Nullable LatencyTable table,
      double speed,
      ToLongFunction<String> flopsPerSample)
      throws UserMistakeException {
    var linear = new HashMap<String, LinearServiceTime>();
    for (var workload : experiment.jobs().workloads()) {
      if (workload.linear() != null) {
        linear.put(workload.name(), workload.linear());
      }
    }
    for (ModelKey model : ExecutorSettings.models(experiment)) {
      if (linear.containsKey(model.workload()) || (table != null && table.holds(model))) {
        continue;
      }
      throw new UserMistakeException(
          table == null ? experiment.runName() : table.file().toString(),
          table == null
              ? "the emulated workload ("
                  + model.workload()
                  + ") has neither alpha_ms and beta_ms nor a latency table"
              : "the latency table holds no row for (" + model + ")",
          table == null
              ? "name a table as lanes.latency_table"
              : "add rows for it, or give the workload alpha_ms and beta_ms");
    }
    Double laneMb = experiment.lanes().memoryMb();
    if (laneMb != null && table != null) {
      checkMemory(experiment, table, linear, laneMb);
    }
    String deviceKind = table == null ? LINEAR : table.deviceKind();
    return new Emulation(
        speed == 1
            ? deviceKind
            : deviceKind + "-x" + BigDecimal.valueOf(speed).stripTrailingZeros().toPlainString(),
        laneMb == null
            ? times(table, linear, flopsPerSample, speed)
            : withMemory(times(table, linear, flopsPerSample, speed), table, linear, experiment),
        new EmulatedDrift(experiment.lanes().drift()));
  }

  /** Where lanes have a memory, the table says what each of its models takes, and how long. */
  private static void checkMemory(
      Experiment experiment,
      LatencyTable table,
      Map<String, LinearServiceTime> linear,
      double laneMb)
      throws UserMistakeException {
    for (ModelKey model : ExecutorSettings.models(experiment)) {
      if (linear.containsKey(model.workload())) {
        continue;
      }
      Double memoryMb = table.memoryMb(model, samplesMax(experiment, model));
      if (table.loadMs(model) == null || memoryMb == null) {
        throw new UserMistakeException(
            table.file().toString(),
            "the latency table has no %s for (%s), and lanes.memory_mb is (%s)"
                .formatted(
                    table.loadMs(model) == null ? "load_ms" : "memory_mb",
                    model,
                    Numbers.text(laneMb)),
            "its columns load_ms and memory_mb should be filled, or lanes.memory_mb left out");
      }
      if (memoryMb > laneMb) {
        throw new UserMistakeException(
            table.file().toString(),
            "(%s) takes memory_mb (%s), and lanes.memory_mb is (%s)"
                .formatted(model, Numbers.text(memoryMb), Numbers.text(laneMb)),
            "no lane could ever run it: lanes.memory_mb should be at least that");
      }
    }
  }

  private static int samplesMax(Experiment experiment, ModelKey model) {
    return ExecutorSettings.reachableSamples(experiment, model.workload()).last();
  }

  /** Returns times that tell also what the memory of a lane has to do with. */
  private static EmulatedTimes withMemory(
      EmulatedTimes times,
      @Nullable LatencyTable table,
      Map<String, LinearServiceTime> linear,
      Experiment experiment) {
    return new EmulatedTimes() {
      @Override
      public double meanMs(ModelKey model, int samples, int busyLanes) {
        return times.meanMs(model, samples, busyLanes);
      }

      @Override
      public double spread(ModelKey model, int samples) {
        return times.spread(model, samples);
      }

      @Override
      public long flopsPerSample(ModelKey model) {
        return times.flopsPerSample(model);
      }

      @Override
      public Long loadNs(ModelKey model) {
        LinearServiceTime line = linear.get(model.workload());
        Double ms = line != null ? line.loadMs() : requireNonNull(table).loadMs(model);
        return Math.max(1, Math.round(requireNonNull(ms) * 1e6));
      }

      @Override
      public Long memoryBytes(ModelKey model) {
        LinearServiceTime line = linear.get(model.workload());
        Double mb =
            line != null
                ? line.memoryMb()
                : requireNonNull(table).memoryMb(model, samplesMax(experiment, model));
        return Math.max(1, Math.round(requireNonNull(mb) * 1e6));
      }
    };
  }

  /** Returns the time to load the model onto a lane, in nanoseconds; null: lanes hold it. */
  public @Nullable Long loadNs(ModelKey model) {
    return times.loadNs(model);
  }

  /** Returns the memory of a lane that the model takes; null: lanes hold all models. */
  public @Nullable Long memoryBytes(ModelKey model) {
    return times.memoryBytes(model);
  }

  public static EmulatedTimes times(
      @Nullable LatencyTable table,
      Map<String, LinearServiceTime> linear,
      ToLongFunction<String> flopsPerSample,
      double speed) {
    return new EmulatedTimes() {
      @Override
      public double meanMs(ModelKey model, int samples, int busyLanes) {
        var line = linear.get(model.workload());
        double meanMs =
            line != null
                ? line.alphaMs() + line.betaMs() * samples
                : table(model).meanMs(model, samples, busyLanes);
        return meanMs / speed;
      }

      @Override
      public double spread(ModelKey model, int samples) {
        return linear.containsKey(model.workload()) ? 0 : table(model).spread(model, samples);
      }

      @Override
      public long flopsPerSample(ModelKey model) {
        return flopsPerSample.applyAsLong(model.workload());
      }

      private LatencyTable table(ModelKey model) {
        if (table == null) {
          throw new IllegalArgumentException("no service time is known for " + model);
        }
        return table;
      }
    };
  }

  /** Returns the kind of device that the lanes pretend to compute on. */
  public String deviceKind() {
    return deviceKind;
  }

  public EmulatedTimes times() {
    return times;
  }

  public EmulatedDrift drift() {
    return drift;
  }

  /**
   * Returns the mean service time of a batch, in nanoseconds, if the given number of lanes is busy
   * all the time.
   *
   * @param busyLanes number of busy lanes, the batch's own included; at least 1
   */
  public double meanNs(ModelKey model, int samples, int busyLanes) {
    return times.meanMs(model, samples, busyLanes) * 1e6;
  }

  /** Returns the standard deviation of the natural logarithm of a batch's service time. */
  public double spread(ModelKey model, int samples) {
    return times.spread(model, samples);
  }

  /**
   * Returns the factor by which one batch of a given spread differs from its mean; see {@link
   * EmulationNoise}.
   */
  public static double noise(long seed, String firstJobId, int attempt, double spread) {
    return EmulationNoise.factor(seed, firstJobId, attempt, spread);
  }

  /**
   * Returns the standard normal number of a batch's noise, the least of its attempts; {@link
   * #factorMin} rises with it.
   */
  public static double leastNormal(long seed, String firstJobId, int attempts) {
    double least = Double.POSITIVE_INFINITY;
    for (int attempt = 1; attempt <= attempts; attempt++) {
      least = Math.min(least, EmulationNoise.normal(seed, firstJobId, attempt));
    }
    return least;
  }

  /**
   * Returns a factor on the mean service time that no batch of the model with that many samples is
   * below, whenever it starts.
   *
   * @param leastNormal gives the least normal number of the batches' noise
   */
  public double factorMin(ModelKey model, int samples, DoubleSupplier leastNormal) {
    double spread = times.spread(model, samples);
    double noise = spread == 0 ? 1 : EmulationNoise.factor(leastNormal.getAsDouble(), spread);
    return noise * driftMin();
  }

  /** Returns the least drift factor at any time of the run. */
  public double driftMin() {
    return drift.least();
  }

  /** Returns a number in (0, 1] that depends on the batch alone, not on the policy. */
  public static double uniform(long seed, String firstJobId, int attempt) {
    return EmulationNoise.uniform(seed, firstJobId, attempt);
  }

  /** Returns the drift factor of all batches that start at a given time of the run. */
  public double drift(long atNs) {
    return drift.factor(atNs);
  }

  /**
   * Returns the capabilities that each lane reports, equal to those that {@link WarmedLanes} finds
   * for such lanes.
   */
  public List<Capability> capabilities(ExecutorSettings settings) {
    List<Capability> capabilities = new ArrayList<>();
    for (ModelKey model : settings.models()) {
      capabilities.add(
          new Capability(
              model,
              times.flopsPerSample(model),
              settings.warmUpSamples().stream()
                  .map(samples -> new WarmUp(samples, times.warmUpNs(model, samples)))
                  .toList(),
              times.loadNs(model),
              times.memoryBytes(model)));
    }
    return List.copyOf(capabilities);
  }
}
