package dev.sluice.executor.lane;

import static java.util.Objects.requireNonNull;

import dev.sluice.contract.event.ExecutorReported.Capability;
import dev.sluice.contract.event.ExecutorReported.WarmUp;
import dev.sluice.contract.experiment.Experiment;
import dev.sluice.contract.experiment.Experiment.LinearServiceTime;
import dev.sluice.contract.experiment.LoadShape.Step;
import dev.sluice.contract.file.Numbers;
import dev.sluice.contract.file.UserMistakeException;
import dev.sluice.contract.value.ModelKey;
import dev.sluice.contract.value.SplitMix64;
import java.math.BigDecimal;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.DoubleSupplier;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * Service times of batches on lanes that only pretend to compute: linear workloads by the
 * experiment's two numbers, without contention and noise, the others by a latency table. Live lanes
 * wait for these times, and a simulation uses the same ones. Not changed once it is made.
 */
public record Emulation(
    String deviceKind,
    @Nullable LatencyTable table,
    Map<String, LinearServiceTime> linear,
    double speed,
    ToLongFunction<String> flopsPerSample,
    List<Step> drift,
    Map<ModelKey, Long> loadNs,
    Map<ModelKey, Long> memoryBytes) {
  /** Device kind of emulated lanes whose workloads are all linear. */
  private static final String LINEAR = "emulated-linear";

  private static final double NS_PER_MS = 1e6;
  private static final double NS_PER_SECOND = 1e9;
  private static final long NOISE_PURPOSE = 0x656d756c6174696fL;

  /**
   * Returns an emulation of the experiment's workloads.
   *
   * @param table null: every workload must be linear
   * @param speed factor by which lanes are faster than their table; a speed other than 1 becomes
   *     part of the device kind
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
    List<ModelKey> models = ExecutorSettings.models(experiment);
    for (ModelKey model : models) {
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
    String device = table == null ? LINEAR : table.deviceKind();
    var emulation =
        new Emulation(
            speed == 1
                ? device
                : device + "-x" + BigDecimal.valueOf(speed).stripTrailingZeros().toPlainString(),
            table,
            linear,
            speed,
            flopsPerSample,
            experiment.lanes().drift(),
            new HashMap<>(),
            new HashMap<>());
    Double laneMb = experiment.lanes().memoryMb();
    if (laneMb != null) {
      for (ModelKey model : models) {
        int samplesMax = ExecutorSettings.reachableSamples(experiment, model.workload()).last();
        emulation.addMemory(model, samplesMax, laneMb);
      }
    }
    return emulation;
  }

  private void addMemory(ModelKey model, int samplesMax, double laneMb)
      throws UserMistakeException {
    LinearServiceTime line = linear.get(model.workload());
    Double loadMs = line != null ? line.loadMs() : requireNonNull(table).loadMs(model);
    Double memoryMb =
        line != null ? line.memoryMb() : requireNonNull(table).memoryMb(model, samplesMax);
    if (line == null && (loadMs == null || memoryMb == null)) {
      throw new UserMistakeException(
          requireNonNull(table).file().toString(),
          "the latency table has no %s for (%s), and lanes.memory_mb is (%s)"
              .formatted(loadMs == null ? "load_ms" : "memory_mb", model, Numbers.text(laneMb)),
          "its columns load_ms and memory_mb should be filled, or lanes.memory_mb left out");
    }
    if (line == null && requireNonNull(memoryMb) > laneMb) {
      throw new UserMistakeException(
          requireNonNull(table).file().toString(),
          "(%s) takes memory_mb (%s), and lanes.memory_mb is (%s)"
              .formatted(model, Numbers.text(memoryMb), Numbers.text(laneMb)),
          "no lane could ever run it: lanes.memory_mb should be at least that");
    }
    loadNs.put(model, Math.max(1, Math.round(requireNonNull(loadMs) * 1e6)));
    memoryBytes.put(model, Math.max(1, Math.round(requireNonNull(memoryMb) * 1e6)));
  }

  /** Null: lanes hold all models. */
  public @Nullable Long loadNs(ModelKey model) {
    return loadNs.get(model);
  }

  /** Null: lanes hold all models. */
  public @Nullable Long memoryBytes(ModelKey model) {
    return memoryBytes.get(model);
  }

  private LatencyTable table(ModelKey model) {
    if (table == null) {
      throw new IllegalArgumentException("no service time is known for " + model);
    }
    return table;
  }

  /** Mean service time beside a number of busy lanes, the batch's own included. */
  public double meanNs(ModelKey model, int samples, int busyLanes) {
    LinearServiceTime line = linear.get(model.workload());
    double meanMs =
        line != null
            ? line.alphaMs() + line.betaMs() * samples
            : table(model).meanMs(model, samples, busyLanes);
    return meanMs / speed * NS_PER_MS;
  }

  /** Returns the warm-up time that a lane reports for one batch: alone, and without noise. */
  long warmUpNs(ModelKey model, int samples) {
    return Math.max(1, (long) meanNs(model, samples, 1));
  }

  public double spread(ModelKey model, int samples) {
    return linear.containsKey(model.workload()) ? 0 : table(model).spread(model, samples);
  }

  /**
   * Returns the factor by which one batch takes longer or shorter than the mean, exp(spread × z −
   * spread² / 2), where z is standard normal by Box and Muller (1958): lognormal with mean 1. It
   * depends on seed, first job and attempt alone, so that it is equal under every policy.
   *
   * @param spread standard deviation of the factor's natural logarithm; 0 gives 1
   */
  public static double noise(long seed, String firstJobId, int attempt, double spread) {
    return spread == 0 ? 1 : noise(normal(seed, firstJobId, attempt), spread);
  }

  private static double noise(double normal, double spread) {
    return StrictMath.exp(spread * normal - spread * spread / 2);
  }

  private static double normal(long seed, String firstJobId, int attempt) {
    long hash = hash(seed, firstJobId, attempt);
    double radius = StrictMath.sqrt(-2 * StrictMath.log(unit(hash)));
    return radius * StrictMath.cos(2 * StrictMath.PI * unit(SplitMix64.mix(hash)));
  }

  /** Returns a number in (0, 1] that depends on the batch alone, not on the policy. */
  public static double uniform(long seed, String firstJobId, int attempt) {
    return unit(hash(seed, firstJobId, attempt));
  }

  private static long hash(long seed, String firstJobId, int attempt) {
    long hash = SplitMix64.mix(seed ^ NOISE_PURPOSE);
    for (int i = 0; i < firstJobId.length(); i++) {
      hash = SplitMix64.mix(hash + firstJobId.charAt(i));
    }
    return SplitMix64.mix(hash + attempt);
  }

  private static double unit(long hash) {
    return ((hash >>> 11) + 1) * 0x1.0p-53;
  }

  /** Least standard normal number of the attempts; {@link #factorMin} rises with it. */
  public static double leastNormal(long seed, String firstJobId, int attempts) {
    double least = Double.POSITIVE_INFINITY;
    for (int attempt = 1; attempt <= attempts; attempt++) {
      least = Math.min(least, normal(seed, firstJobId, attempt));
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
    double spread = spread(model, samples);
    return (spread == 0 ? 1 : noise(leastNormal.getAsDouble(), spread)) * driftMin();
  }

  public double driftMin() {
    return Math.min(1, drift.stream().mapToDouble(Step::factor).min().orElse(1));
  }

  /** Drift factor of batches that start then: 1 at first, linear within each change. */
  public double drift(long atNs) {
    return drift(drift, atNs);
  }

  static double drift(List<Step> changes, long atNs) {
    double atSeconds = atNs / NS_PER_SECOND;
    double factor = 1;
    for (Step change : changes) {
      if (atSeconds < change.atSeconds()) {
        break;
      }
      double done =
          change.overSeconds() == 0
              ? 1
              : Math.min(1, (atSeconds - change.atSeconds()) / change.overSeconds());
      factor += done * (change.factor() - factor);
    }
    return factor;
  }

  Capability capability(ModelKey model, List<WarmUp> warmUps) {
    long flops = flopsPerSample.applyAsLong(model.workload());
    return new Capability(model, flops, warmUps, loadNs(model), memoryBytes(model));
  }

  /** Returns what {@link WarmedLanes} would find for such lanes. */
  public List<Capability> capabilities(ExecutorSettings settings) {
    return settings.models().stream()
        .map(
            model ->
                capability(
                    model,
                    settings.warmUpSamples().stream()
                        .map(samples -> new WarmUp(samples, warmUpNs(model, samples)))
                        .toList()))
        .toList();
  }
}
