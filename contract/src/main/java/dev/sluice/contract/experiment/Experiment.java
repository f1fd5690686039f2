package dev.sluice.contract.experiment;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A whole experiment, checked and with every default filled in. The keys of the file are these
 * names in snake_case.
 *
 * @param runName the run's name, the file's name by default
 * @param seed the one seed of the run; default 42
 * @param durationSeconds jobs intended in [warmupSeconds, durationSeconds) are the measured ones
 * @param tailSeconds how long arrivals go on, unmeasured, at most, until the last measured job has
 *     ended; default 30
 * @param arrivalRateJobsPerSec of all generators together
 * @param arrivals name of the arrival process; default poisson
 * @param interactiveRatio share of jobs of interactive classes, in [0, 1]; default 0.3
 * @param classes in the order of the file; the defaults, interactive (100 ms) and batch (1000 ms),
 *     stay unless the file names a class of its own
 * @param workloads what the jobs run, with their weights
 * @param backendsEnabled drawn uniformly: pytorch, onnx
 * @param precisionModes drawn uniformly: fp32
 * @param batchSizes samples per job, drawn uniformly
 * @param schedulerName name of the policy; default fifo
 * @param scheduler the policy's weights by name; empty: its defaults
 * @param admission none, expired or hopeless
 * @param thresholds figure name to bound, for example {@code interactive_p99_e2e_ms: "< 100"}
 */
public record Experiment(
    String runName,
    long seed,
    double durationSeconds,
    double warmupSeconds,
    double tailSeconds,
    double arrivalRateJobsPerSec,
    String arrivals,
    int generators,
    double interactiveRatio,
    List<JobClass> classes,
    List<WorkloadChoice> workloads,
    List<String> backendsEnabled,
    List<String> precisionModes,
    List<Integer> batchSizes,
    String schedulerName,
    Map<String, Double> scheduler,
    String admission,
    Microbatch microbatch,
    Resources resources,
    Lanes lanes,
    Predictor predictor,
    KafkaSettings kafka,
    Map<String, Threshold> thresholds) {
  /** Memory tokens that each sample adds to those of its model, at fp32. */
  public static final int TOKENS_PER_SAMPLE = 4;

  public Experiment {
    classes = List.copyOf(classes);
    workloads = List.copyOf(workloads);
    backendsEnabled = List.copyOf(backendsEnabled);
    precisionModes = List.copyOf(precisionModes);
    batchSizes = List.copyOf(batchSizes);
    scheduler = Map.copyOf(scheduler);
    thresholds = Map.copyOf(thresholds);
  }

  /**
   * A class of jobs with one latency promise.
   *
   * @param sloMs from intended arrival to end
   * @param priority lower is more urgent
   * @param interactive whether the jobs count as interactive in the mix and in scores
   * @param microbatch whether its jobs may share an inference
   */
  public record JobClass(
      String name, double sloMs, int priority, boolean interactive, boolean microbatch) {}

  /**
   * A model that jobs run.
   *
   * @param weight relative share in the mix; default 1
   * @param tokens memory tokens of the model itself
   * @param model a user's own model file; null: a built-in workload
   * @param linear an emulated service time of alpha + beta × samples; null: measured or from a
   *     table
   */
  public record WorkloadChoice(
      String name,
      double weight,
      int tokens,
      @Nullable ModelFile model,
      @Nullable LinearServiceTime linear) {}

  /**
   * A user's own model.
   *
   * @param path of a .pt or .onnx file, relative to the experiment file
   * @param backend pytorch for .pt, onnx for .onnx
   * @param inputShape of one sample, without the batch axis
   */
  public record ModelFile(String path, String backend, List<Integer> inputShape) {}

  /** Service time = alphaMs + betaMs × samples. */
  public record LinearServiceTime(double alphaMs, double betaMs) {}

  /**
   * Joining of compatible jobs into one inference.
   *
   * @param windowMs how long a set gathers before it is ripe
   * @param maxBatch most samples in one inference
   * @param policies the policies that join jobs at all
   */
  public record Microbatch(boolean enabled, double windowMs, int maxBatch, List<String> policies) {}

  /** Memory tokens: enabled false means no budget; the cost column is still filled. */
  public record Resources(boolean enabled, int totalTokens) {}

  /**
   * The lanes of the executor.
   *
   * @param enabled false means one lane
   * @param threads intra-op threads per lane
   * @param kind real or emulated
   * @param latencyTable for emulated lanes: path of a CSV of service times, relative to the
   *     experiment file; null: every workload is linear
   * @param heartbeatMs how often executors report
   */
  public record Lanes(
      boolean enabled,
      int numLanes,
      int threads,
      String device,
      String kind,
      @Nullable String latencyTable,
      int heartbeatMs) {
    /** How many lanes there are: numLanes, or one if lanes are off. */
    public int count() {
      return enabled ? numLanes : 1;
    }

    public boolean emulated() {
      return kind.equals("emulated");
    }
  }

  /** The learned latency model; while disabled, running means predict. */
  public record Predictor(boolean enabled, String modelPath, double quantile) {}

  /** Where Kafka is: {@code embedded}, or host:port. */
  public record KafkaSettings(String bootstrapServers, int shards) {
    public boolean embedded() {
      return bootstrapServers.equals("embedded");
    }
  }

  /** A bound on a figure: {@code "< 100"}, {@code "<= 0.01"}, {@code "> 10"} or {@code ">= 10"}. */
  public record Threshold(String comparison, double value) {}

  /** Whether the run's policy joins jobs into micro-batches. */
  public boolean joinsJobs() {
    return microbatch.enabled() && microbatch.policies().contains(schedulerName);
  }

  /** The backends that the workload's jobs may ask for; a user's own file runs on its own. */
  public List<String> backendsOf(WorkloadChoice workload) {
    return workload.model() == null ? backendsEnabled : List.of(workload.model().backend());
  }

  /** The class of that name. */
  public JobClass jobClass(String name) {
    return classes.stream()
        .filter(c -> c.name().equals(name))
        .findFirst()
        .orElseThrow(() -> new IllegalArgumentException("no class is named " + name));
  }

  /** The workload of that name. */
  public WorkloadChoice workload(String name) {
    return workloads.stream()
        .filter(w -> w.name().equals(name))
        .findFirst()
        .orElseThrow(() -> new IllegalArgumentException("no workload is named " + name));
  }

  /** The smallest latency promise of any class, in milliseconds. */
  public double sloMsMin() {
    return classes.stream().mapToDouble(JobClass::sloMs).min().orElseThrow();
  }
}
