package dev.sluice.contract.experiment;

import dev.sluice.contract.experiment.Experiment.JobClass;
import dev.sluice.contract.experiment.Experiment.Jobs;
import dev.sluice.contract.experiment.Experiment.KafkaSettings;
import dev.sluice.contract.experiment.Experiment.Lanes;
import dev.sluice.contract.experiment.Experiment.Predictor;
import dev.sluice.contract.experiment.Experiment.Resources;
import dev.sluice.contract.experiment.Experiment.Simulation;
import dev.sluice.contract.experiment.Vocabulary.PolicyWeights;
import dev.sluice.contract.file.Place;
import dev.sluice.contract.file.Problems;
import dev.sluice.contract.file.Range;
import dev.sluice.contract.file.Section;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

/**
 * The keys of an experiment file, with their defaults and ranges. Each part that has rules of its
 * own has a reader; the small parts are read here.
 */
final class ExperimentReader {
  /** Engines that Sluice runs models in. */
  static final List<String> ENGINES = List.of("pytorch", "onnx");

  /** Engines, and those of published latency tables. */
  private static final List<String> BACKENDS =
      List.of("pytorch", "onnx", "tensorrt", "tensorflow", "tvm", "caffe", "darknet");

  private static final List<String> PRECISIONS = List.of("fp32", "fp16", "bf16");
  private static final Pattern RUN_NAME = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._-]{0,99}");
  private static final Pattern SERVERS =
      Pattern.compile("embedded|[^\\s,:]+:\\d{1,5}(,\\s*[^\\s,:]+:\\d{1,5})*");
  private static final int SHARDS_MAX = 64;

  private final Problems problems;
  private final Map<String, Place> places;
  private final Vocabulary vocabulary;

  ExperimentReader(Problems problems, Map<String, Place> places, Vocabulary vocabulary) {
    this.problems = problems;
    this.places = places;
    this.vocabulary = vocabulary;
  }

  /** Reads the experiment, which is of use only if no problem is noted afterwards. */
  Experiment read(Section top, String defaultRunName) {
    String runName =
        top.text(
            "run_name",
            defaultRunName,
            RUN_NAME,
            "cannot name topics and folders",
            name ->
                "it should have letters a to z, digits, dots, underscores and hyphens, at most 100 of them");
    List<JobClass> classes = new ClassReader(problems, vocabulary).read(top.section("classes"));
    boolean scaled = classes.stream().anyMatch(c -> c.sloScale() != null);
    Lanes lanes = new LanesReader(problems).read(top.section("lanes"), scaled);
    Jobs jobs = jobs(top, classes, lanes);
    var experiment =
        new Experiment(
            runName,
            top.whole("seed", 42L, Long.MIN_VALUE, Long.MAX_VALUE),
            new LoadReader(problems, vocabulary).read(top),
            jobs,
            new SchedulingReader(problems, vocabulary).read(top),
            resources(top.section("resources")),
            lanes.withTableFor(jobs.workloads()),
            predictor(top.section("predictor")),
            kafka(top.section("kafka")),
            new ThresholdReader(problems, vocabulary).read(top.section("thresholds"), jobs),
            simulation(top.section("simulation")));
    top.ignore(ExperimentFile.RECORDED);
    top.end();
    new CrossChecks(problems, places, top, experiment).check();
    checkBounds(top, experiment);
    return experiment;
  }

  private void checkBounds(Section top, Experiment experiment) {
    String policy = experiment.scheduling().schedulerName();
    if (problems.isEmpty()
        && vocabulary.schedulers().getOrDefault(policy, PolicyWeights.NONE).needsBounds()
        && !experiment.predictor().enabled()) {
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

  private static Resources resources(Section section) {
    var read =
        new Resources(
            section.flag("enabled", true),
            section.whole("total_tokens", 1000, 1, 1_000_000_000),
            section.flag("cpu_fallback", false));
    section.end();
    return read;
  }

  private static Predictor predictor(Section section) {
    var read =
        new Predictor(
            section.flag("enabled", false),
            section.text("model_path", "models/latency"),
            section.number("quantile", 0.95, Range.within(0.01, 0.999)),
            section.number("retrain_seconds", 60, Ranges.SECONDS));
    section.end();
    return read;
  }

  private static KafkaSettings kafka(Section section) {
    var read =
        new KafkaSettings(
            section.text(
                "bootstrap_servers",
                "embedded",
                SERVERS,
                "is neither embedded nor HOST:PORT",
                servers -> "you meant localhost:9092"),
            section.whole("shards", 1, 1, SHARDS_MAX));
    section.end();
    return read;
  }

  private static Simulation simulation(Section section) {
    var read =
        new Simulation(
            section.textOrNull("latency_table"),
            section.textOrNull("hops"),
            section.wholeOrNone("noise_seed", 0, Integer.MAX_VALUE));
    section.end();
    return read;
  }
}
