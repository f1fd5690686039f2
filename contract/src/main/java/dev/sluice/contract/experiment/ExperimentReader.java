package dev.sluice.contract.experiment;

import dev.sluice.contract.experiment.Experiment.JobClass;
import dev.sluice.contract.experiment.Experiment.Jobs;
import dev.sluice.contract.experiment.Experiment.KafkaSettings;
import dev.sluice.contract.experiment.Experiment.Lanes;
import dev.sluice.contract.experiment.Experiment.Limits;
import dev.sluice.contract.experiment.Experiment.Microbatch;
import dev.sluice.contract.experiment.Experiment.Predictor;
import dev.sluice.contract.experiment.Experiment.Resources;
import dev.sluice.contract.experiment.Experiment.Scheduling;
import dev.sluice.contract.experiment.Experiment.Simulation;
import dev.sluice.contract.experiment.Vocabulary.PolicyWeights;
import dev.sluice.contract.file.NearestName;
import dev.sluice.contract.file.Numbers;
import dev.sluice.contract.file.Place;
import dev.sluice.contract.file.Problems;
import dev.sluice.contract.file.Range;
import dev.sluice.contract.file.Section;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The keys of an experiment file, with their defaults and ranges. The load, the workloads and the
 * thresholds have readers of their own.
 */
record ExperimentReader(Problems problems, Map<String, Place> places, Vocabulary vocabulary) {
  /** Engines that Sluice runs models in. */
  static final List<String> ENGINES = List.of("pytorch", "onnx");

  /** Names of classes, and of workloads below {@code microbatch.models}. */
  static final Pattern NAME = Pattern.compile("[\\p{L}\\p{N}_-]{1,50}");

  /** Engines, and those of published latency tables. */
  private static final List<String> BACKENDS =
      List.of("pytorch", "onnx", "tensorrt", "tensorflow", "tvm", "caffe", "darknet");

  private static final List<String> PRECISIONS = List.of("fp32", "fp16", "bf16");
  private static final Pattern RUN_NAME = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._-]{0,99}");
  private static final Pattern SERVERS =
      Pattern.compile("embedded|[^\\s,:]+:\\d{1,5}(,\\s*[^\\s,:]+:\\d{1,5})*");
  private static final List<JobClass> DEFAULT_CLASSES =
      List.of(
          new JobClass("interactive", 100, 1, true, false),
          new JobClass("batch", 1000, 5, false, true));

  /** Names that begin figures of their own, which a class's figures must not meet. */
  private static final List<String> RESERVED =
      List.of("all", "overall", "hop", "bubble", "prediction", "emulation");

  private static final List<String> DEVICES = List.of("auto", "cpu", "cuda", "cuda:0");
  private static final Pattern DEVICE = Pattern.compile("auto|cpu|cuda|cuda:\\d{1,3}");

  /** Reads the experiment, which is of use only if no problem is noted afterwards. */
  Experiment read(Section top, String defaultRunName) {
    String runName =
        top.text(
            "run_name",
            defaultRunName,
            RUN_NAME,
            "cannot name topics and folders",
            name ->
                "it should have letters a to z, digits, dots, underscores and hyphens, at most 100"
                    + " of them");
    List<JobClass> classes = classes(top.section("classes"));
    boolean scaled = classes.stream().anyMatch(c -> c.sloScale() != null);
    Lanes lanes = top.read("lanes", section -> lanes(section, scaled));
    Jobs jobs = jobs(top, classes, lanes);
    var experiment =
        new Experiment(
            runName,
            top.whole("seed", 42L, Long.MIN_VALUE, Long.MAX_VALUE),
            new LoadReader(problems, vocabulary.arrivals()).read(top),
            jobs,
            scheduling(top),
            top.read(
                "resources",
                s ->
                    new Resources(
                        s.flag("enabled", true),
                        s.whole("total_tokens", 1000, 1, 1_000_000_000),
                        s.flag("cpu_fallback", false))),
            lanes.withTableFor(jobs.workloads()),
            top.read(
                "predictor",
                s ->
                    new Predictor(
                        s.flag("enabled", false),
                        s.text("model_path", "models/latency"),
                        s.number("quantile", 0.95, Range.within(0.01, 0.999)),
                        s.number("retrain_seconds", 60, Ranges.SECONDS))),
            top.read(
                "kafka",
                s ->
                    new KafkaSettings(
                        s.text(
                            "bootstrap_servers",
                            "embedded",
                            SERVERS,
                            "is neither embedded nor HOST:PORT",
                            servers -> "you meant localhost:9092"),
                        s.whole("shards", 1, 1, 64))),
            new ThresholdReader(problems, vocabulary).read(top.section("thresholds"), jobs),
            top.read(
                "simulation",
                s ->
                    new Simulation(
                        s.textOrNull("latency_table"),
                        s.textOrNull("hops"),
                        s.wholeOrNone("noise_seed", 0, Integer.MAX_VALUE))));
    top.ignore(ExperimentFile.RECORDED);
    top.end();
    new CrossChecks(problems, places, top, experiment).check();
    checkBounds(top, experiment);
    return experiment;
  }

  private void checkBounds(Section top, Experiment experiment) {
    String policy = experiment.scheduling().schedulerName();
    if (problems.isEmpty() && policy(policy).needsBounds() && !experiment.predictor().enabled()) {
      problems.error(
          places.getOrDefault("predictor.enabled", top.place("scheduler_name")),
          "scheduler (%s) goes by upper bounds of service times, and predictor.enabled is false"
              .formatted(policy),
          "you want predictor: {enabled: true}, or another scheduler");
    }
  }

  private Jobs jobs(Section top, List<JobClass> classes, Lanes lanes) {
    return new Jobs(
        top.number("interactive_ratio", 0.3, Range.within(0, 1)),
        classes,
        new WorkloadReader(problems, places, vocabulary, lanes).read(top),
        top.namesOf("backends_enabled", List.of("pytorch"), BACKENDS, "backends"),
        top.namesOf("precision_modes", List.of("fp32"), PRECISIONS, "precisions"),
        top.flag("allow_slow_precision", false),
        top.wholes("batch_sizes", List.of(1, 8, 32), 1, Ranges.SAMPLES_MAX, false));
  }

  /**
   * The two default classes, with the keys that the file gives them; or, if the file names any
   * other class, exactly the classes that it names.
   */
  private List<JobClass> classes(Section section) {
    List<String> defaultNames = DEFAULT_CLASSES.stream().map(JobClass::name).toList();
    boolean own = !defaultNames.containsAll(section.keys());
    List<JobClass> classes = new ArrayList<>();
    for (String name : own ? section.keys() : defaultNames) {
      if (!NAME.matcher(name).matches() || RESERVED.contains(name)) {
        section.error(
            name,
            "classes." + name + " is not a valid name for a class",
            "the name should have letters, digits, underscores and hyphens, and be none of "
                + String.join(", ", RESERVED));
      }
      classes.add(
          jobClass(
              defaultNames.contains(name)
                  ? section.section(name)
                  : section.chosen(name, NAME, RESERVED),
              name,
              DEFAULT_CLASSES.stream()
                  .filter(d -> d.name().equals(name))
                  .findFirst()
                  .orElse(null)));
    }
    refuseSharedFigures(section, classes);
    return classes;
  }

  /** Refuses names by which a figure of one class would be a figure of another, or of the run. */
  private void refuseSharedFigures(Section section, List<JobClass> classes) {
    Map<String, String> owners = new HashMap<>();
    vocabulary.figuresOfRun().forEach(figure -> owners.put(figure, "the whole run"));
    for (JobClass one : classes) {
      for (String suffix : vocabulary.figuresOfClasses()) {
        String figure = one.name() + "_" + suffix;
        String owner = owners.putIfAbsent(figure, "classes." + one.name());
        if (owner != null) {
          section.error(
              one.name(),
              "classes.%s would have the figure %s, as %s has".formatted(one.name(), figure, owner),
              "another name was meant, such as " + one.name().replace('_', '-'));
          break;
        }
      }
    }
  }

  private static JobClass jobClass(Section section, String name, @Nullable JobClass fallback) {
    Double sloScale = section.numberOrNone("slo_scale", Range.within(0.001, 1e6));
    boolean interactive = section.flag("interactive", fallback != null && fallback.interactive());
    var read =
        new JobClass(
            name,
            sloMs(section, fallback, sloScale),
            sloScale,
            section.whole("priority", fallback == null ? 5 : fallback.priority(), 0, 1_000_000),
            interactive,
            section.flag("microbatch", fallback == null ? !interactive : fallback.microbatch()));
    section.end();
    return read;
  }

  private static @Nullable Double sloMs(
      Section section, @Nullable JobClass fallback, @Nullable Double sloScale) {
    Range slo = Range.within(0.001, Ranges.MS_MAX);
    double sloMs =
        fallback != null && fallback.sloMs() != null
            ? section.number("slo_ms", fallback.sloMs(), slo)
            : sloScale == null
                ? section.required("slo_ms", slo, "100")
                : section.number("slo_ms", Double.NaN, slo, "you meant a number such as 100");
    if (sloScale == null) {
      return sloMs;
    }
    if (section.has("slo_ms")) {
      section.error(
          "slo_scale",
          "%s (%s) is given beside slo_ms (%s): a class has only one of them"
              .formatted(section.name("slo_scale"), Numbers.text(sloScale), Numbers.text(sloMs)),
          "one of the two should be removed");
    }
    return null;
  }

  /**
   * Reads the lanes, their device, and the service times of emulated ones.
   *
   * @param tableIsRead whether even real lanes need the latency table
   */
  private Lanes lanes(Section section, boolean tableIsRead) {
    var lanes =
        new Lanes(
            section.flag("enabled", true),
            section.whole("num_lanes", 2, 1, 1024),
            section.whole("threads", 1, 1, 256),
            section.text(
                "device",
                "auto",
                DEVICE,
                "is unknown",
                device -> NearestName.advice(device, DEVICES, "devices")),
            section.oneOf("kind", "real", List.of("real", "emulated"), "kinds of lanes"),
            section.textOrNull("latency_table"),
            section.whole("heartbeat_ms", 200, 10, 60_000),
            section.whole("ahead", 0, 0, 1),
            section.whole("lease_ms", 2000, 20, 86_400_000),
            section.whole("max_attempts", 3, 1, 1000),
            section.number("speed", 1, Range.within(0.001, 1000)),
            LoadReader.steps(section, "drift", Range.within(0.01, 100), problems),
            section.numberOrNone("memory_mb", Range.within(1e-3, 1e9)));
    if (!lanes.emulated() && (lanes.speed() != 1 || !lanes.drift().isEmpty())) {
      String key = lanes.speed() != 1 ? "speed" : "drift";
      section.error(
          key,
          "lanes." + key + " works on emulated lanes only, and these lanes are real",
          "you meant lanes.kind: emulated");
    }
    if (lanes.leaseMs() < 2 * lanes.heartbeatMs()) {
      section.error(
          section.has("lease_ms") ? "lease_ms" : "heartbeat_ms",
          "lanes.lease_ms (%s) must be at least twice lanes.heartbeat_ms (%s): a lane would be lost with the first report that is late"
              .formatted(lanes.leaseMs(), lanes.heartbeatMs()),
          "you meant lease_ms: " + 10 * lanes.heartbeatMs());
    }
    if (lanes.memoryMb() != null && lanes.ahead() > 0) {
      section.error(
          "memory_mb",
          "lanes.memory_mb (%s) does not go together with lanes.ahead (%s): models are loaded for the batch that runs next"
              .formatted(Numbers.text(lanes.memoryMb()), lanes.ahead()),
          "you meant lanes.ahead: 0");
    }
    if (lanes.device().startsWith("cuda") && lanes.emulated()) {
      problems.warn(
          section.place("device"),
          "lanes.device (" + lanes.device() + ") has no effect on emulated lanes");
    }
    if (lanes.latencyTable() != null && !lanes.emulated() && !tableIsRead) {
      problems.warn(
          section.place("latency_table"),
          "lanes.latency_table (" + lanes.latencyTable() + ") has no effect on real lanes");
    }
    return lanes;
  }

  private Scheduling scheduling(Section top) {
    String name =
        top.oneOf("scheduler_name", "fifo", vocabulary.schedulers().keySet(), "schedulers");
    PolicyWeights policy = policy(name);
    return new Scheduling(
        name,
        top.read("scheduler", section -> weights(section, policy)),
        top.oneOf("admission", "none", List.of("none", "expired", "hopeless"), "admissions"),
        top.wholeOrNone("max_waiting", 1, 200_000_000),
        top.numberOrNone("expire_after_ms", Range.within(1e-6, Ranges.MS_MAX)),
        top.read(
            "microbatch",
            section -> microbatch(section, name, policy.decides().contains("joining"))),
        policy.decides());
  }

  private PolicyWeights policy(String schedulerName) {
    return vocabulary.schedulers().getOrDefault(schedulerName, PolicyWeights.NONE);
  }

  private static Map<String, Double> weights(Section section, PolicyWeights policy) {
    Map<String, Double> weights = new LinkedHashMap<>();
    for (PolicyWeights.Weight weight : policy.weights()) {
      double value =
          section.number(
              weight.name(),
              Double.NaN,
              weight.range(),
              "the line should be left out, for its default, "
                  + Numbers.text(weight.defaultValue()));
      if (section.has(weight.name())) {
        weights.put(weight.name(), value);
      }
    }
    if (weights.values().stream().noneMatch(value -> value.isNaN())) {
      policy
          .rule()
          .apply(weights)
          .ifPresent(m -> section.error(m.key(), section.name(m.what()), m.maybe()));
    }
    return weights;
  }

  /**
   * @param joins whether the policy joins jobs at times of its own choice; it then has no window,
   *     and always joins
   */
  private Microbatch microbatch(Section section, String schedulerName, boolean joins) {
    boolean enabled = section.flag("enabled", true);
    double windowMs = section.number("window_ms", 10, Range.within(0, Ranges.MS_MAX));
    int maxBatch = section.whole("max_batch", 128, 1, Ranges.SAMPLES_MAX);
    Set<String> policies =
        new LinkedHashSet<>(
            section.namesOf(
                "policies",
                List.of("batch_aware", "dynamic"),
                vocabulary.schedulers().keySet(),
                "schedulers"));
    boolean respectDeadlines = section.flag("respect_deadlines", false);
    Map<String, Limits> limits = limits(section.section("models"));
    if (joins) {
      policies.add(schedulerName);
    }
    return new Microbatch(
        enabled,
        joins ? 0 : windowMs,
        maxBatch,
        List.copyOf(policies),
        !joins && respectDeadlines,
        limits);
  }

  private static Map<String, Limits> limits(Section section) {
    Map<String, Limits> limits = new TreeMap<>();
    for (String model : section.keys()) {
      Section one = section.chosen(model, NAME, List.of());
      int most = one.requiredWhole("max_batch", 1, Ranges.SAMPLES_MAX, "16");
      limits.put(
          model, new Limits(most, one.wholes("preferred", List.of(), 1, Math.max(1, most), false)));
      one.end();
    }
    return limits;
  }
}
