package dev.sluice.contract.experiment;

import dev.sluice.contract.file.Numbers;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * A whole experiment, checked and with every default filled in. The keys of the file are the names
 * of the values in snake_case.
 *
 * @param runName the run's name, the file's name by default
 * @param seed the one seed of the run; default 42
 * @param thresholds figure name to bound, for example {@code interactive_p99_e2e_ms: "< 100"}
 */
public record Experiment(
    String runName,
    long seed,
    Load load,
    Jobs jobs,
    Scheduling scheduling,
    Resources resources,
    Lanes lanes,
    Predictor predictor,
    KafkaSettings kafka,
    Map<String, Threshold> thresholds,
    Simulation simulation) {
  /** Memory tokens that each sample adds to those of its model, at fp32. */
  private static final int TOKENS_PER_SAMPLE = 4;

  public Experiment {
    // By name: the order of Map.copyOf differs from process to process, and verdicts list them.
    thresholds = Collections.unmodifiableMap(new TreeMap<>(thresholds));
  }

  Experiment with(Load other) {
    return new Experiment(
        runName,
        seed,
        other,
        jobs,
        scheduling,
        resources,
        lanes,
        predictor,
        kafka,
        thresholds,
        simulation);
  }

  /**
   * When jobs arrive.
   *
   * @param durationSeconds end of the measured window: jobs intended in [warmupSeconds,
   *     durationSeconds) are measured
   * @param tailSeconds longest time for which arrivals go on, unmeasured, until the last measured
   *     job has ended; default 30
   * @param arrivalRateJobsPerSec rate of all generators together; NaN as long as it is to be found
   *     from {@code offeredLoad}
   * @param scenario when jobs arrive at all; default server. Under another one the process and the
   *     shape are the defaults, and {@link #jobsOfScenario} says how many jobs there are
   * @param offeredLoad seconds of work a lane and second, if each job ran alone, from which the
   *     rate follows once the lanes' times are known; null: a rate was given
   */
  public record Load(
      double durationSeconds,
      double warmupSeconds,
      double tailSeconds,
      double arrivalRateJobsPerSec,
      Arrivals arrivals,
      LoadShape shape,
      Scenario scenario,
      int generators,
      @Nullable Double offeredLoad) {

    Load with(double duration, double warmup, double jobsPerSecond) {
      return new Load(
          duration,
          warmup,
          tailSeconds,
          jobsPerSecond,
          arrivals,
          shape,
          scenario,
          generators,
          offeredLoad);
    }

    /**
     * Returns how many jobs the list of a scenario other than server has: rate × duration, rounded,
     * at least 1.
     */
    public long jobsOfScenario() {
      return Math.max(1, Math.round(arrivalRateJobsPerSec * durationSeconds));
    }

    /**
     * Returns the rate that is asked for in the measured window, in jobs a second: the mean over
     * the process and the shape. NaN where a file says when requests come.
     */
    public double askedRateJobsPerSec() {
      if (arrivals instanceof Replay) {
        return Double.NaN;
      }
      return shape instanceof LoadShape.Rates // which are scaled to it
          ? arrivalRateJobsPerSec
          : arrivalRateJobsPerSec * shape.meanFactor(warmupSeconds, durationSeconds);
    }

    /**
     * Returns how many jobs are asked for, in the mean over the process, up to the end of the tail
     * where the scenario has one. NaN where a file says when requests come.
     */
    public double askedJobs() {
      if (arrivals instanceof Replay || shape instanceof LoadShape.Rates) {
        return Double.NaN;
      }
      double endSeconds =
          scenario == Scenario.SERVER ? durationSeconds + tailSeconds : durationSeconds;
      return arrivalRateJobsPerSec * shape.integralSeconds(endSeconds);
    }

    public long warmupNs() {
      return Math.round(warmupSeconds * 1e9);
    }

    public long durationNs() {
      return Math.round(durationSeconds * 1e9);
    }

    /** Returns the end of the tail: no job is meant to arrive at or after it. */
    public long tailEndNs() {
      return Math.round((durationSeconds + tailSeconds) * 1e9);
    }

    public double measuredSeconds() {
      return durationSeconds - warmupSeconds;
    }
  }

  /** The scenarios, named as MLPerf Inference names them (Reddi et al., ISCA 2020). */
  public enum Scenario {
    /** Jobs arrive over time, by the arrival process and the shape of the load. */
    SERVER,
    /** All jobs arrive at time zero. */
    OFFLINE,
    /** The next job arrives when the one before it has ended. */
    SINGLE_STREAM;

    public String key() {
      return name().toLowerCase(Locale.ROOT);
    }

    static List<String> keys() {
      return Arrays.stream(values()).map(Scenario::key).toList();
    }

    static Scenario of(String key) {
      return valueOf(key.toUpperCase(Locale.ROOT));
    }
  }

  /**
   * The mix of jobs.
   *
   * @param interactiveRatio share of jobs of interactive classes, in [0, 1]; default 0.3
   * @param classes in the order of the file; the defaults, interactive (100 ms) and batch (1000
   *     ms), stay unless the file names a class of its own
   * @param backendsEnabled drawn uniformly: pytorch, onnx; on emulated lanes also an engine that
   *     only a latency table knows, as tensorrt
   * @param precisionModes drawn uniformly: fp32, fp16, bf16
   * @param allowSlowPrecision whether real lanes may run a precision that is slow on their device:
   *     fp16 on a CPU
   * @param batchSizes samples per job, drawn uniformly
   */
  public record Jobs(
      double interactiveRatio,
      List<JobClass> classes,
      List<WorkloadChoice> workloads,
      List<String> backendsEnabled,
      List<String> precisionModes,
      boolean allowSlowPrecision,
      List<Integer> batchSizes) {
    public Jobs {
      classes = List.copyOf(classes);
      workloads = List.copyOf(workloads);
      backendsEnabled = List.copyOf(backendsEnabled);
      precisionModes = List.copyOf(precisionModes);
      batchSizes = List.copyOf(batchSizes);
    }
  }

  /**
   * Rules by which jobs are chosen, joined, refused and dropped.
   *
   * @param weights the policy's weights by name, the file's key {@code scheduler}; empty: its
   *     defaults
   * @param admission none, expired or hopeless
   * @param maxWaiting most jobs that may wait in one shard, at least 1; null: any number
   * @param expireAfterMs longest wait of a job, above 0; null: without end
   * @param decides what the policy decides beside which job starts next: {@code joining} (when and
   *     how many jobs share a batch, without a window), {@code sets_of_all_classes} (it joins jobs
   *     of unlike classes), {@code dropping}, {@code cancelling}, {@code residency} (what lanes
   *     load, where they have a memory)
   */
  public record Scheduling(
      String schedulerName,
      Map<String, Double> weights,
      String admission,
      @Nullable Integer maxWaiting,
      @Nullable Double expireAfterMs,
      Microbatch microbatch,
      List<String> decides) {
    public Scheduling {
      weights = Map.copyOf(weights);
      decides = List.copyOf(decides);
    }
  }

  /**
   * A class of jobs with one kind of latency promise, from intended arrival to end: {@code sloMs}
   * or {@code sloScale}, the other is null.
   *
   * @param sloMs promise to each of the class's jobs, in milliseconds
   * @param sloScale promise as a multiple of the job's isolated time, which is the latency table's
   *     for its workload, backend, precision and samples with one busy lane
   * @param priority lower is more urgent
   * @param interactive whether the jobs count as interactive in the mix and in scores
   * @param microbatch whether its jobs may share an inference
   */
  public record JobClass(
      String name,
      @Nullable Double sloMs,
      @Nullable Double sloScale,
      int priority,
      boolean interactive,
      boolean microbatch) {
    public JobClass {
      if ((sloMs == null) == (sloScale == null)) {
        throw new IllegalArgumentException(
            "class " + name + " promises " + sloMs + " ms and × " + sloScale + ", not one of them");
      }
    }

    /** A class with one promise in milliseconds for each of its jobs. */
    public JobClass(
        String name, double sloMs, int priority, boolean interactive, boolean microbatch) {
      this(name, sloMs, null, priority, interactive, microbatch);
    }
  }

  /**
   * A model that jobs run.
   *
   * @param weight relative share in the mix; default 1
   * @param tokens memory tokens of the model itself
   * @param model a user's own model file; null: a built-in workload
   * @param linear an emulated service time of alpha + beta × samples; null: measured or from a
   *     table
   * @param memoryBudget how much of a built-in model is in memory at a time; null: all of it
   */
  public record WorkloadChoice(
      String name,
      double weight,
      int tokens,
      @Nullable ModelFile model,
      @Nullable LinearServiceTime linear,
      @Nullable MemoryBudget memoryBudget) {
    /** A workload whose whole model is in memory. */
    public WorkloadChoice(
        String name,
        double weight,
        int tokens,
        @Nullable ModelFile model,
        @Nullable LinearServiceTime linear) {
      this(name, weight, tokens, model, linear, null);
    }
  }

  /**
   * Memory for the parameters of a model whose layers come and go, on each lane.
   *
   * @param wholeTokens memory tokens that the whole model would take
   */
  public record MemoryBudget(long bytes, int wholeTokens) {}

  /**
   * A user's own model.
   *
   * @param path relative to the experiment file's folder, or absolute
   * @param backend pytorch for .pt, onnx for .onnx
   * @param inputs what it takes, at least one, in its order
   */
  public record ModelFile(String path, String backend, List<ModelInput> inputs) {
    public ModelFile {
      inputs = List.copyOf(inputs);
    }

    /** The shape of one sample if float32 is all that the model takes; else null. */
    public @Nullable List<Integer> inputShape() {
      List<Integer> shape = inputs.get(0).shape();
      return inputs.equals(List.of(ModelInput.of(shape))) ? shape : null;
    }
  }

  /**
   * Service time = alphaMs + betaMs × samples.
   *
   * @param loadMs time to load the model onto a lane; null: not said
   * @param memoryMb memory of a lane that it takes, in 10^6 bytes; null: not said
   */
  public record LinearServiceTime(
      double alphaMs, double betaMs, @Nullable Double loadMs, @Nullable Double memoryMb) {}

  /**
   * Joining of compatible jobs into one inference.
   *
   * @param windowMs time for which a set gathers before it is ripe
   * @param policies the policies that join jobs at all
   * @param respectDeadlines whether a batch takes no job that would make a member miss its
   *     deadline, by the upper quantile of the predicted service time
   */
  public record Microbatch(
      boolean enabled,
      double windowMs,
      int maxBatch,
      List<String> policies,
      boolean respectDeadlines,
      Map<String, Limits> models) {
    public Microbatch {
      policies = List.copyOf(policies);
      models = Collections.unmodifiableMap(new TreeMap<>(models));
    }
  }

  /**
   * The sizes of one model's batches.
   *
   * @param preferred sizes that a policy should form if it can, ascending
   */
  public record Limits(int maxBatch, List<Integer> preferred) {
    public Limits {
      preferred = preferred.stream().sorted().toList();
    }
  }

  /**
   * Memory tokens.
   *
   * @param enabled false means no budget; the cost column is still filled
   * @param totalTokens the budget of one executor
   * @param cpuFallback whether a job whose cost alone exceeds the budget runs alone on a lane
   *     outside it; without, such a job is dropped
   */
  public record Resources(boolean enabled, int totalTokens, boolean cpuFallback) {}

  /**
   * The lanes of the executor.
   *
   * @param enabled false means one lane
   * @param threads intra-op threads per lane
   * @param device device of real lanes: auto, cpu, cuda or cuda:N with a number from 0
   * @param kind real or emulated
   * @param latencyTable path of a CSV of service times, as {@link ParsedExperiment#resolve} takes
   *     it: what emulated lanes wait, and what a {@code sloScale} counts in; null: there is none
   * @param heartbeatMs time between two reports of an executor
   * @param ahead number of batches that a lane holds beside the one that it runs: 0 or 1
   * @param leaseMs time for which an executor that does not report keeps its lanes, at least twice
   *     heartbeatMs
   * @param maxAttempts most starts of a batch whose lane is lost each time
   * @param speed speed of emulated lanes, as a multiple of their latency table's
   * @param drift changes of the factor of emulated service times, by time; may be empty
   * @param memoryMb memory of each lane for models, in 10^6 bytes; null: lanes hold all models
   */
  public record Lanes(
      boolean enabled,
      int numLanes,
      int threads,
      String device,
      String kind,
      @Nullable String latencyTable,
      int heartbeatMs,
      int ahead,
      int leaseMs,
      int maxAttempts,
      double speed,
      List<LoadShape.Step> drift,
      @Nullable Double memoryMb) {
    /** Table of emulated lanes whose experiment names none: the best documented published one. */
    public static final String DEFAULT_TABLE = "sluice:latency/published/triton-a100-80gb.csv";

    public Lanes {
      drift = List.copyOf(drift);
    }

    /** Memory of each lane in bytes; 0: lanes hold all models. */
    public long memoryBytes() {
      return memoryMb == null ? 0 : Math.round(memoryMb * 1e6);
    }

    /** Returns these lanes, with the default table if they are emulated and lack one they need. */
    Lanes withTableFor(List<WorkloadChoice> workloads) {
      boolean needed =
          emulated()
              && latencyTable == null
              && workloads.stream().anyMatch(w -> w.linear() == null);
      return needed
          ? new Lanes(
              enabled,
              numLanes,
              threads,
              device,
              kind,
              DEFAULT_TABLE,
              heartbeatMs,
              ahead,
              leaseMs,
              maxAttempts,
              speed,
              drift,
              memoryMb)
          : this;
    }

    public int count() {
      return enabled ? numLanes : 1;
    }

    public boolean emulated() {
      return kind.equals("emulated");
    }
  }

  /**
   * The learned latency model; while disabled, running means predict.
   *
   * @param quantile probability with which the upper bound of decisions should hold
   * @param retrainSeconds time after which executors fit the model again; 0: never
   */
  public record Predictor(
      boolean enabled, String modelPath, double quantile, double retrainSeconds) {}

  /**
   * The log.
   *
   * @param bootstrapServers {@code embedded}, or host:port
   * @param shards number of queues, each with its own executors: 1 to 64
   */
  public record KafkaSettings(String bootstrapServers, int shards) {
    public boolean embedded() {
      return bootstrapServers.equals("embedded");
    }
  }

  /**
   * Inputs of a simulation in place of the machine; they change nothing in a live run.
   *
   * @param latencyTable path of a CSV of service times for real lanes, relative to the experiment
   *     file; null: a latency model is needed
   * @param hops path of a CSV of the loop's times between its steps, relative to the experiment
   *     file, or {@code none}; null: the recording that comes with Sluice
   * @param noiseSeed seed, together with that of the run, of what varies in service times and hops;
   *     null: the run's seed alone
   */
  public record Simulation(
      @Nullable String latencyTable, @Nullable String hops, @Nullable Integer noiseSeed) {
    /** Value of {@code hops} for a loop that takes no time. */
    public static final String NO_HOPS = "none";
  }

  /**
   * A bound on a figure: {@code "< 100"}, {@code "<= 0.01"}, {@code "> 10"} or {@code ">= 10"}.
   *
   * @param abort true if the run ends the moment the bound cannot hold any more
   */
  public record Threshold(String comparison, double value, boolean abort) {
    /** A bound that is judged at the run's end. */
    public Threshold(String comparison, double value) {
      this(comparison, value, false);
    }

    /** Tells whether a figure's value keeps the bound; an infinite one is above every bound. */
    public boolean holds(double figure) {
      boolean equal = comparison.endsWith("=") && figure == value;
      return equal || (isUpper() ? figure < value : figure > value);
    }

    public boolean isUpper() {
      return comparison.startsWith("<");
    }

    /** The bound as a file writes it. */
    public String text() {
      return comparison + " " + Numbers.text(value);
    }
  }

  /** Cost of a batch in memory tokens, by its samples: × 0.7, rounded up, in fp16 and bf16. */
  public static long tokens(int modelTokens, String precision, long samples) {
    long tokens = modelTokens + TOKENS_PER_SAMPLE * samples;
    return precision.equals("fp32") ? tokens : (7 * tokens + 9) / 10;
  }

  public boolean joinsJobs() {
    var microbatch = scheduling.microbatch();
    return microbatch.enabled() && microbatch.policies().contains(scheduling.schedulerName());
  }

  /** The backends that the workload's jobs may ask for; a user's own file runs on its own. */
  public List<String> backendsOf(WorkloadChoice workload) {
    return workload.model() == null ? jobs.backendsEnabled() : List.of(workload.model().backend());
  }

  public JobClass jobClass(String name) {
    return jobs.classes().stream()
        .filter(c -> c.name().equals(name))
        .findFirst()
        .orElseThrow(() -> new IllegalArgumentException("no class is named " + name));
  }

  public WorkloadChoice workload(String name) {
    return jobs.workloads().stream()
        .filter(w -> w.name().equals(name))
        .findFirst()
        .orElseThrow(() -> new IllegalArgumentException("no workload is named " + name));
  }
}
