package dev.sluice.contract.experiment;

import dev.sluice.contract.experiment.Experiment.Drift;
import dev.sluice.contract.experiment.Experiment.JobClass;
import dev.sluice.contract.experiment.Experiment.KafkaSettings;
import dev.sluice.contract.experiment.Experiment.Lanes;
import dev.sluice.contract.experiment.Experiment.Microbatch;
import dev.sluice.contract.experiment.Experiment.Predictor;
import dev.sluice.contract.experiment.Experiment.Resources;
import dev.sluice.contract.experiment.Experiment.Simulation;
import dev.sluice.contract.experiment.Experiment.Threshold;
import dev.sluice.contract.experiment.Experiment.WorkloadChoice;
import dev.sluice.contract.file.NearestName;
import dev.sluice.contract.file.Numbers;
import dev.sluice.contract.file.Place;
import dev.sluice.contract.file.Problems;
import dev.sluice.contract.file.Range;
import dev.sluice.contract.file.Section;
import dev.sluice.contract.file.Value;
import dev.sluice.contract.file.Value.Mapping;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The keys of an experiment file, with their defaults and ranges, and the rules between them. */
final class ExperimentReader {
  private static final List<String> ADMISSIONS = List.of("none", "expired", "hopeless");
  private static final List<String> BACKENDS = List.of("pytorch", "onnx");
  private static final List<String> PRECISIONS = List.of("fp32", "fp16", "bf16");
  private static final Pattern RUN_NAME = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._-]{0,99}");
  private static final Pattern NAME = Pattern.compile("[\\p{L}\\p{N}_-]{1,50}");
  private static final Pattern SERVERS =
      Pattern.compile("embedded|[^\\s,:]+:\\d{1,5}(,\\s*[^\\s,:]+:\\d{1,5})*");
  private static final List<String> DEVICES = List.of("auto", "cpu", "cuda", "cuda:0");
  private static final Pattern DEVICE = Pattern.compile("auto|cpu|cuda|cuda:\\d{1,3}");
  private static final Pattern BOUND = Pattern.compile("(<=|>=|<|>)\\s*(\\S+)");

  /** A class's figures begin with its name, and must not meet these. */
  private static final List<String> RESERVED_CLASS_NAMES =
      List.of("all", "overall", "hop", "bubble", "prediction", "emulation");

  /** About a week. */
  private static final double SECONDS_MAX = 1_000_000;

  private static final double MS_MAX = 1e9;
  private static final double JOBS_MAX = 50_000_000;
  private static final int SAMPLES_MAX = 4096;
  private static final int SHARDS_MAX = 64;

  private final Problems problems;
  private final Map<String, Place> places;
  private final Vocabulary vocabulary;

  ExperimentReader(Problems problems, Map<String, Place> places, Vocabulary vocabulary) {
    this.problems = problems;
    this.places = places;
    this.vocabulary = vocabulary;
  }

  /** The experiment; of use only if there are no problems afterwards. */
  Experiment read(Section top, String defaultRunName) {
    String runName = top.text("run_name", defaultRunName);
    if (!RUN_NAME.matcher(runName).matches()) {
      problems.error(
          top.place("run_name"),
          "run_name (" + runName + ") is no name for topics and folders",
          "letters a to z, digits, dot, underscore and hyphen will do, at most 100 of them");
    }
    List<JobClass> classes = classes(top.section("classes"));
    boolean scaled = classes.stream().anyMatch(c -> c.sloScale() != null);
    Lanes lanes = lanes(top.section("lanes"), scaled);
    List<WorkloadChoice> workloads =
        new WorkloadReader(problems, places, vocabulary, lanes).read(top);
    String schedulerName =
        top.oneOf("scheduler_name", "fifo", vocabulary.schedulers().keySet(), "schedulers");
    var experiment =
        new Experiment(
            runName,
            top.whole("seed", 42L, Long.MIN_VALUE, Long.MAX_VALUE),
            new Experiment.Load(
                top.required("duration_seconds", Range.above(0, SECONDS_MAX), "60"),
                top.number("warmup_seconds", 0, Range.within(0, SECONDS_MAX)),
                top.number("tail_seconds", 30, Range.within(0, SECONDS_MAX)),
                top.required("arrival_rate_jobs_per_sec", Range.above(0, 1e6), "10"),
                top.oneOf("arrivals", "poisson", vocabulary.arrivals(), "arrivals"),
                top.whole("generators", 1, 1, 1000)),
            new Experiment.Jobs(
                top.number("interactive_ratio", 0.3, Range.within(0, 1)),
                classes,
                workloads,
                top.namesOf("backends_enabled", List.of("pytorch"), BACKENDS, "backends"),
                top.namesOf("precision_modes", List.of("fp32"), PRECISIONS, "precisions"),
                top.flag("allow_slow_precision", false),
                top.wholes("batch_sizes", List.of(1, 8, 32), 1, SAMPLES_MAX, false)),
            new Experiment.Scheduling(
                schedulerName,
                weights(top.section("scheduler"), schedulerName),
                top.oneOf("admission", "none", ADMISSIONS, "admissions"),
                top.wholeOrNone("max_waiting", 1, (int) JOBS_MAX),
                top.numberOrNone("expire_after_ms", Range.above(0, MS_MAX)),
                microbatch(top.section("microbatch"))),
            resources(top.section("resources")),
            lanes,
            predictor(top),
            kafka(top.section("kafka")),
            thresholds(top.section("thresholds"), classes),
            simulation(top.section("simulation")));
    top.find("recorded");
    top.end();
    checkTimes(top, experiment);
    checkClasses(top, experiment);
    if (problems.isEmpty()) {
      checkOwnModels(top, experiment);
      checkScales(top, experiment);
      checkTokens(top, experiment);
    }
    return experiment;
  }

  /**
   * The two default classes with what the file says of them; or, once it names another class, those
   * that it names.
   */
  private List<JobClass> classes(Section section) {
    var defaults =
        List.of(
            new JobClass("interactive", 100, 1, true, false),
            new JobClass("batch", 1000, 5, false, true));
    List<String> defaultNames = defaults.stream().map(JobClass::name).toList();
    boolean own = !defaultNames.containsAll(section.keys());
    List<JobClass> classes = new ArrayList<>();
    for (String name : own ? section.keys() : defaultNames) {
      Place place = section.place(name);
      if (!NAME.matcher(name).matches() || RESERVED_CLASS_NAMES.contains(name)) {
        problems.error(
            place,
            "classes." + name + " is no name for a class",
            "letters, digits, underscore and hyphen will do, but none of "
                + String.join(", ", RESERVED_CLASS_NAMES));
      }
      classes.add(
          jobClass(
              section.section(name),
              name,
              defaults.stream().filter(d -> d.name().equals(name)).findFirst().orElse(null)));
    }
    return classes;
  }

  private JobClass jobClass(Section section, String name, @Nullable JobClass fallback) {
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

  private @Nullable Double sloMs(
      Section section, @Nullable JobClass fallback, @Nullable Double sloScale) {
    Range slo = Range.within(0.001, MS_MAX);
    if (sloScale != null && !section.has("slo_ms")) {
      return null;
    }
    double sloMs =
        fallback == null || fallback.sloMs() == null
            ? section.required("slo_ms", slo, "100")
            : section.number("slo_ms", fallback.sloMs(), slo);
    if (sloScale == null) {
      return sloMs;
    }
    problems.error(
        section.place("slo_scale"),
        section.name("slo_scale")
            + " ("
            + Numbers.text(sloScale)
            + ") stands beside slo_ms ("
            + Numbers.text(sloMs)
            + "): a class promises one of them",
        "one of the two should be removed");
    return null;
  }

  /** The policy's weights; nothing is said of them while the policy itself is unknown. */
  private Map<String, Double> weights(Section section, String schedulerName) {
    Map<String, Double> weights = new LinkedHashMap<>();
    for (String weight : vocabulary.schedulers().getOrDefault(schedulerName, List.of())) {
      double value = section.number(weight, Double.NaN, Range.within(-1e9, 1e9));
      if (section.has(weight)) {
        weights.put(weight, value);
      }
    }
    section.end();
    return weights;
  }

  private Microbatch microbatch(Section section) {
    var read =
        new Microbatch(
            section.flag("enabled", true),
            section.number("window_ms", 10, Range.within(0, MS_MAX)),
            section.whole("max_batch", 128, 1, SAMPLES_MAX),
            section.namesOf(
                "policies",
                List.of("batch_aware", "dynamic"),
                vocabulary.schedulers().keySet(),
                "schedulers"),
            section.flag("respect_deadlines", false));
    section.end();
    return read;
  }

  private static Resources resources(Section section) {
    var read =
        new Resources(
            section.flag("enabled", true),
            section.whole("total_tokens", 1000, 1, 1_000_000_000),
            section.flag("cpu_fallback", false));
    section.end();
    return read;
  }

  /**
   * @param tableIsRead whether even real lanes need the latency table
   */
  private Lanes lanes(Section section, boolean tableIsRead) {
    var read =
        new Lanes(
            section.flag("enabled", true),
            section.whole("num_lanes", 2, 1, 1024),
            section.whole("threads", 1, 1, 256),
            device(section),
            section.oneOf("kind", "real", List.of("real", "emulated"), "kinds of lanes"),
            section.textOrNull("latency_table"),
            section.whole("heartbeat_ms", 200, 10, 60_000),
            section.whole("ahead", 0, 0, 1),
            section.whole("lease_ms", 2000, 20, 86_400_000),
            section.whole("max_attempts", 3, 1, 1000),
            section.number("speed", 1, Range.within(0.001, 1000)),
            section.list("drift", List.of(), true, this::drift));
    checkDrift(section, read);
    if (read.leaseMs() < 2 * read.heartbeatMs()) {
      problems.error(
          section.place(section.has("lease_ms") ? "lease_ms" : "heartbeat_ms"),
          "lanes.lease_ms ("
              + read.leaseMs()
              + ") must be at least twice lanes.heartbeat_ms ("
              + read.heartbeatMs()
              + "): a lane would be lost with the first report that is late",
          "you meant lease_ms: " + 10 * read.heartbeatMs());
    }
    if (read.device().startsWith("cuda") && read.emulated()) {
      problems.warn(
          section.place("device"),
          "lanes.device (" + read.device() + ") has no effect on emulated lanes");
    }
    if (read.latencyTable() != null && !read.emulated() && !tableIsRead) {
      problems.warn(
          section.place("latency_table"),
          "lanes.latency_table (" + read.latencyTable() + ") has no effect on real lanes");
    }
    section.end();
    return read;
  }

  private @Nullable Drift drift(Value value) {
    if (!(value instanceof Mapping mapping)) {
      problems.error(
          value.place(),
          "an entry of lanes.drift is no mapping",
          "you meant {at_seconds: 60, factor: 1.5}");
      return null;
    }
    var section = Section.strict("lanes.drift.", mapping, problems, new HashMap<>());
    var read =
        new Drift(
            section.required("at_seconds", Range.within(0, SECONDS_MAX), "60"),
            section.required("factor", Range.within(0.01, 100), "1.5"),
            section.number("over_seconds", 0, Range.within(0, SECONDS_MAX)));
    section.end();
    return read;
  }

  private void checkDrift(Section section, Lanes lanes) {
    if (!lanes.emulated() && (lanes.speed() != 1 || !lanes.drift().isEmpty())) {
      String key = lanes.speed() != 1 ? "speed" : "drift";
      problems.error(
          section.place(key),
          "lanes." + key + " is for emulated lanes, and these are real",
          "you meant lanes.kind: emulated");
    }
    for (int i = 1; i < lanes.drift().size(); i++) {
      Drift before = lanes.drift().get(i - 1);
      double endsAtSeconds = before.atSeconds() + before.overSeconds();
      if (lanes.drift().get(i).atSeconds() < endsAtSeconds) {
        problems.error(
            section.place("drift"),
            "lanes.drift (at_seconds "
                + Numbers.text(lanes.drift().get(i).atSeconds())
                + ") begins before the change above it ends, at "
                + Numbers.text(endsAtSeconds),
            "the entries should stand in order of time, one after the other");
      }
    }
  }

  private String device(Section section) {
    String device = section.text("device", "auto");
    if (!DEVICE.matcher(device).matches()) {
      problems.error(
          section.place("device"),
          "lanes.device (" + device + ") is unknown",
          NearestName.advice(device, DEVICES, "devices"));
    }
    return device;
  }

  private Predictor predictor(Section top) {
    Section section = top.section("predictor");
    var read =
        new Predictor(
            section.flag("enabled", false),
            section.text("model_path", "models/latency"),
            section.number("quantile", 0.95, Range.within(0.01, 0.999)),
            section.number("retrain_seconds", 60, Range.within(0, SECONDS_MAX)));
    section.end();
    return read;
  }

  private static Simulation simulation(Section section) {
    var read = new Simulation(section.textOrNull("latency_table"), section.textOrNull("hops"));
    section.end();
    return read;
  }

  private KafkaSettings kafka(Section section) {
    String servers = section.text("bootstrap_servers", "embedded");
    if (!SERVERS.matcher(servers).matches()) {
      problems.error(
          section.place("bootstrap_servers"),
          "kafka.bootstrap_servers (" + servers + ") is neither embedded nor HOST:PORT",
          "you meant localhost:9092");
    }
    int shards = section.whole("shards", 1, 1, SHARDS_MAX);
    section.end();
    return new KafkaSettings(servers, shards);
  }

  private Map<String, Threshold> thresholds(Section section, List<JobClass> classes) {
    var figures = new TreeSet<>(vocabulary.figures());
    for (String figure : vocabulary.figures()) {
      if (figure.startsWith("all_")) {
        classes.forEach(c -> figures.add(c.name() + figure.substring("all".length())));
      }
    }
    Map<String, Threshold> thresholds = new LinkedHashMap<>();
    for (String figure : section.keys()) {
      Value value = section.find(figure);
      String written = value == null ? null : section.textOf("thresholds." + figure, value);
      if (!figures.contains(figure)) {
        problems.error(
            section.place(figure),
            "thresholds (" + figure + ") names no figure",
            NearestName.advice(figure, figures, "figures"));
      } else if (written != null) {
        Matcher bound = BOUND.matcher(written);
        if (bound.matches() && Numbers.DECIMAL.matcher(bound.group(2)).matches()) {
          thresholds.put(figure, new Threshold(bound.group(1), Double.parseDouble(bound.group(2))));
        } else {
          problems.error(
              section.place(figure),
              "thresholds." + figure + " (" + written + ") is no bound",
              "you meant \"< 100\"; <=, > and >= are known as well");
        }
      }
    }
    return thresholds;
  }

  private void checkTimes(Section top, Experiment e) {
    if (e.load().warmupSeconds() >= e.load().durationSeconds()) {
      problems.error(
          top.place(top.has("warmup_seconds") ? "warmup_seconds" : "duration_seconds"),
          "warmup_seconds ("
              + Numbers.text(e.load().warmupSeconds())
              + ") must be less than duration_seconds ("
              + Numbers.text(e.load().durationSeconds())
              + "): nothing would be measured",
          "the warm-up should be a tenth of the duration");
    }
    double jobs =
        e.load().arrivalRateJobsPerSec() * (e.load().durationSeconds() + e.load().tailSeconds());
    if (jobs > JOBS_MAX) {
      problems.error(
          top.place("arrival_rate_jobs_per_sec"),
          "arrival_rate_jobs_per_sec × (duration_seconds + tail_seconds) asks for about "
              + Numbers.text(Math.rint(jobs))
              + " jobs, more than "
              + Numbers.text(JOBS_MAX),
          "a shorter run shows the same");
    }
  }

  private void checkClasses(Section top, Experiment e) {
    boolean interactive = e.jobs().classes().stream().anyMatch(JobClass::interactive);
    boolean other = e.jobs().classes().stream().anyMatch(c -> !c.interactive());
    if ((e.jobs().interactiveRatio() > 0 && !interactive)
        || (e.jobs().interactiveRatio() < 1 && !other)) {
      problems.error(
          top.place(top.has("interactive_ratio") ? "interactive_ratio" : "classes"),
          "interactive_ratio ("
              + Numbers.text(e.jobs().interactiveRatio())
              + ") needs a class that is "
              + (interactive ? "not interactive" : "interactive")
              + ", and there is none",
          "it should be " + (interactive ? 1 : 0));
    }
  }

  private void checkOwnModels(Section top, Experiment e) {
    for (WorkloadChoice workload : e.jobs().workloads()) {
      var model = workload.model();
      if (model != null
          && !e.lanes().emulated()
          && !e.jobs().backendsEnabled().equals(List.of(model.backend()))) {
        problems.error(
            top.has("backends_enabled")
                ? top.place("backends_enabled")
                : places.getOrDefault(
                    "workloads." + workload.name(), top.place("backends_enabled")),
            "backends_enabled ("
                + String.join(", ", e.jobs().backendsEnabled())
                + ") would send jobs to a backend that cannot run "
                + workload.name()
                + " ("
                + model.path()
                + ")",
            "you meant backends_enabled: [" + model.backend() + "]");
      }
      if (model != null
          && !e.lanes().emulated()
          && !e.jobs().precisionModes().equals(List.of("fp32"))) {
        problems.error(
            top.place("precision_modes"),
            "precision_modes ("
                + String.join(", ", e.jobs().precisionModes())
                + ") cannot change "
                + workload.name()
                + " ("
                + model.path()
                + "): a file of your own runs as it is",
            "precision_modes should be [fp32], whatever it computes in");
      }
    }
  }

  /** A multiple of the isolated time needs to know that time. */
  private void checkScales(Section top, Experiment e) {
    List<String> unknown =
        e.jobs().workloads().stream()
            .filter(w -> w.linear() == null)
            .map(WorkloadChoice::name)
            .toList();
    if (e.lanes().latencyTable() != null || unknown.isEmpty()) {
      return;
    }
    for (JobClass jobClass : e.jobs().classes()) {
      if (jobClass.sloScale() != null) {
        String key = "classes." + jobClass.name() + ".slo_scale";
        problems.error(
            places.getOrDefault(key, top.place("classes")),
            key
                + " ("
                + Numbers.text(jobClass.sloScale())
                + ") needs the time that "
                + String.join(", ", unknown)
                + " takes alone, and lanes.latency_table is missing",
            "lanes.latency_table should name a table, or slo_ms is meant");
      }
    }
  }

  /** A job that can never fit would never run. */
  private void checkTokens(Section top, Experiment e) {
    if (!e.resources().enabled() || e.resources().cpuFallback()) {
      return;
    }
    int samples = e.jobs().batchSizes().stream().mapToInt(Integer::intValue).max().orElseThrow();
    String precision =
        e.jobs().precisionModes().contains("fp32") ? "fp32" : e.jobs().precisionModes().get(0);
    for (WorkloadChoice workload : e.jobs().workloads()) {
      long tokens = Experiment.tokens(workload.tokens(), precision, samples);
      if (tokens > e.resources().totalTokens()) {
        problems.error(
            places.getOrDefault(
                "resources.total_tokens",
                places.getOrDefault("batch_sizes", top.place("workloads"))),
            "a job of "
                + workload.name()
                + " with "
                + samples
                + (samples == 1 ? " sample" : " samples")
                + (precision.equals("fp32") ? "" : " in " + precision)
                + " costs "
                + tokens
                + " tokens, more than resources.total_tokens ("
                + e.resources().totalTokens()
                + ")",
            "batch_sizes should stop at a smaller size, resources.total_tokens should be at least "
                + tokens
                + ", or resources.cpu_fallback: true lets it run alone outside the budget");
      }
    }
  }
}
