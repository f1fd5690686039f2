package dev.sluice.contract.experiment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.sluice.contract.experiment.Experiment.JobClass;
import dev.sluice.contract.experiment.Experiment.KafkaSettings;
import dev.sluice.contract.experiment.Experiment.Lanes;
import dev.sluice.contract.experiment.Experiment.LinearServiceTime;
import dev.sluice.contract.experiment.Experiment.Microbatch;
import dev.sluice.contract.experiment.Experiment.ModelFile;
import dev.sluice.contract.experiment.Experiment.Predictor;
import dev.sluice.contract.experiment.Experiment.Resources;
import dev.sluice.contract.experiment.Experiment.Scenario;
import dev.sluice.contract.experiment.Experiment.Threshold;
import dev.sluice.contract.experiment.Experiment.WorkloadChoice;
import dev.sluice.contract.experiment.ModelInput.Dtype;
import dev.sluice.contract.file.UserMistakeException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Files that are accepted, and what they are read as. */
final class ExperimentFileTest {
  private static final String LEAST = "duration_seconds: 20\narrival_rate_jobs_per_sec: 10\n";

  @TempDir private Path folder;

  @Test
  void aFileOfTheTwoRequiredKeys_hasEveryDefault() throws Exception {
    ParsedExperiment parsed = parse(LEAST);
    assertThat(parsed.experiment())
        .isEqualTo(
            new Experiment(
                "my-test",
                42,
                new Experiment.Load(
                    20,
                    0,
                    30,
                    10,
                    Arrivals.POISSON,
                    LoadShape.even(),
                    Experiment.Scenario.SERVER,
                    1,
                    null),
                new Experiment.Jobs(
                    0.3,
                    List.of(
                        new JobClass("interactive", 100, 1, true, false),
                        new JobClass("batch", 1000, 5, false, true)),
                    List.of(
                        new WorkloadChoice("resnet18", 1, 80, null, null),
                        new WorkloadChoice("resnet50", 1, 160, null, null),
                        new WorkloadChoice("vit", 1, 260, null, null)),
                    List.of("pytorch"),
                    List.of("fp32"),
                    false,
                    List.of(1, 8, 32)),
                new Experiment.Scheduling(
                    "fifo",
                    Map.of(),
                    "none",
                    null,
                    null,
                    new Microbatch(
                        true, 10, 128, List.of("batch_aware", "dynamic"), false, Map.of()),
                    List.of()),
                new Resources(true, 1000, false),
                new Lanes(true, 2, 1, "auto", "real", null, 200, 0, 2000, 3, 1, List.of(), null),
                new Predictor(false, "models/latency", 0.95, 60),
                new KafkaSettings("embedded", 1),
                Map.of(),
                new Experiment.Simulation(null, null, null)));
    assertThat(parsed.warnings()).isEmpty();
  }

  @Test
  void anOfferedLoad_standsInPlaceOfARate_untilTheLanesTellIt() throws Exception {
    ParsedExperiment asked = parse("duration_seconds: 20\noffered_load: 0.5\n");
    assertThat(asked.needsRate()).isTrue();
    assertThat(asked.experiment().load().offeredLoad()).isEqualTo(0.5);
    assertThat(ResolvedConfig.write(asked.experiment())).contains("\noffered_load: 0.5\n");

    Experiment rated = asked.withRate(12.5).experiment();
    assertThat(asked.withRate(12.5).needsRate()).isFalse();
    assertThat(ResolvedConfig.write(rated))
        .contains("\narrival_rate_jobs_per_sec: 12.5\n")
        .doesNotContain("offered_load");
  }

  @Test
  void anOverride_replacesAnOfferedLoadByARate_andTheOtherWay() throws Exception {
    ParsedExperiment rated =
        parse("duration_seconds: 20\noffered_load: 0.5\n", "arrival_rate_jobs_per_sec=3");
    assertThat(rated.needsRate()).isFalse();
    assertThat(rated.experiment().load().arrivalRateJobsPerSec()).isEqualTo(3);
    assertThat(parse(LEAST, "offered_load=0.7").experiment().load().offeredLoad()).isEqualTo(0.7);
    assertThat(parse(LEAST, "offered_load=0.7").needsRate()).isTrue();
  }

  @Test
  void everyKey_canBeGiven() throws Exception {
    Experiment e =
        parse(
                """
                run_name: Full_1.0
                seed: -7
                duration_seconds: 20.5
                warmup_seconds: 2
                tail_seconds: 0
                arrival_rate_jobs_per_sec: 1e2
                arrivals: constant
                generators: 3
                interactive_ratio: 0.25
                classes:
                  gold: {slo_ms: 50, priority: 0, interactive: yes, microbatch: true}
                  größe: {slo_ms: 5000}
                workloads:
                  - resnet18
                  - {name: resnet50, weight: 2.5}
                  - name: mine
                    path: models/mine.onnx
                    input_shape: [3, 32, 32]
                    tokens: 12
                backends_enabled: [onnx]
                precision_modes: [fp32]
                allow_slow_precision: true
                batch_sizes: [4, 2]
                scheduler_name: dynamic
                scheduler: {urgency: 2, interactive: 0.5}
                admission: hopeless
                max_waiting: 1000
                expire_after_ms: 2500.5
                microbatch: {enabled: off, window_ms: 0, max_batch: 16, policies: [fifo], respect_deadlines: true}
                resources: {enabled: false, total_tokens: 1, cpu_fallback: true}
                lanes:
                  enabled: false
                  num_lanes: 8
                  threads: 2
                  device: cpu
                  heartbeat_ms: 100
                  ahead: 1
                  lease_ms: 5000
                  max_attempts: 1
                predictor: {quantile: 0.9, model_path: m, retrain_seconds: 15}
                kafka: {bootstrap_servers: "a:9092,b:9093", shards: 4}
                thresholds:
                  gold_p99_e2e_ms: "< 100"
                  overall_throughput_sps: ">= 1.5e2"
                """)
            .experiment();
    assertThat(e)
        .isEqualTo(
            new Experiment(
                "Full_1.0",
                -7,
                new Experiment.Load(
                    20.5,
                    2,
                    0,
                    100,
                    Arrivals.drawn("constant"),
                    LoadShape.even(),
                    Experiment.Scenario.SERVER,
                    3,
                    null),
                new Experiment.Jobs(
                    0.25,
                    List.of(
                        new JobClass("gold", 50, 0, true, true),
                        new JobClass("größe", 5000, 5, false, true)),
                    List.of(
                        new WorkloadChoice("resnet18", 1, 80, null, null),
                        new WorkloadChoice("resnet50", 2.5, 160, null, null),
                        new WorkloadChoice(
                            "mine",
                            1,
                            12,
                            new ModelFile(
                                "models/mine.onnx",
                                "onnx",
                                List.of(ModelInput.of(List.of(3, 32, 32)))),
                            null)),
                    List.of("onnx"),
                    List.of("fp32"),
                    true,
                    List.of(4, 2)),
                new Experiment.Scheduling(
                    "dynamic",
                    Map.of("urgency", 2.0, "interactive", 0.5),
                    "hopeless",
                    1000,
                    2500.5,
                    new Microbatch(false, 0, 16, List.of("fifo"), true, Map.of()),
                    List.of()),
                new Resources(false, 1, true),
                new Lanes(false, 8, 2, "cpu", "real", null, 100, 1, 5000, 1, 1, List.of(), null),
                new Predictor(false, "m", 0.9, 15),
                new KafkaSettings("a:9092,b:9093", 4),
                Map.of(
                    "gold_p99_e2e_ms", new Threshold("<", 100),
                    "overall_throughput_sps", new Threshold(">=", 150)),
                new Experiment.Simulation(null, null, null)));
    assertThat(e.lanes().count()).isEqualTo(1);
  }

  @Test
  void aThreshold_mayEndTheRun_andBeOfAClassAndWorkload_alsoFromTheCommandLine() throws Exception {
    String figure = "by_class_workload.batch.resnet18.p99_e2e_ms";
    assertThat(
            parse(LEAST + "thresholds: {" + figure + ": {bound: '<= 7', abort: true}}\n")
                .experiment()
                .thresholds())
        .isEqualTo(Map.of(figure, new Threshold("<=", 7, true)));
    assertThat(
            parse(
                    LEAST + "thresholds: {all_p99_e2e_ms: {bound: < 9}}\n",
                    "thresholds." + figure + "=> 3",
                    "thresholds.all_p99_e2e_ms.abort=true")
                .experiment()
                .thresholds())
        .isEqualTo(
            Map.of(figure, new Threshold(">", 3), "all_p99_e2e_ms", new Threshold("<", 9, true)));
  }

  @Test
  void arrivals_areANameOrAMapping_andTheLoadHasAShape() throws Exception {
    assertThat(parse(LEAST + "arrivals: {process: constant}\n").experiment().load().arrivals())
        .isEqualTo(Arrivals.drawn("constant"));
    Experiment.Load load =
        parse(
                LEAST
                    + """
                    arrivals: {process: gamma, cv: 2.5}
                    load: {steps: [{at_seconds: 5, factor: 3}, {at_seconds: 10, factor: 0, over_seconds: 2}]}
                    """)
            .experiment()
            .load();
    assertThat(load.arrivals()).isEqualTo(new Arrivals.Drawn("gamma", Map.of("cv", 2.5)));
    assertThat(load.arrivals().words()).isEqualTo("gamma, cv 2.5");
    assertThat(load.shape())
        .isEqualTo(
            new LoadShape.Steps(
                List.of(new LoadShape.Step(5, 3, 0), new LoadShape.Step(10, 0, 2))));
    // 5 s at 10 a second, 5 s at 30, 2 s falling from 30 to 0, and 8 s of silence
    assertThat(load.askedRateJobsPerSec()).isEqualTo((50 + 150 + 30) / 20.0);
    assertThat(parse(LEAST, "load.diurnal={period_seconds: 20, depth: 0.5}").experiment().load())
        .isEqualTo(
            new Experiment.Load(
                20,
                0,
                30,
                10,
                Arrivals.POISSON,
                new LoadShape.Diurnal(20, 0.5),
                Scenario.SERVER,
                1,
                null));
    assertThat(parse(LEAST, "load.rates=day.csv").experiment().load().shape())
        .isEqualTo(new LoadShape.Rates("day.csv"));
  }

  @Test
  void aScenarioOtherThanServer_hasAsManyJobsAsRateTimesDuration() throws Exception {
    Experiment e = parse(LEAST + "scenario: offline\n", "duration_seconds=2.56").experiment();
    assertThat(e.load().scenario()).isEqualTo(Scenario.OFFLINE);
    assertThat(e.load().jobsOfScenario()).isEqualTo(26);
    Path resolved = folder.resolve("resolved.yaml");
    Files.writeString(resolved, ResolvedConfig.write(e));
    assertThat(ExperimentFile.read(resolved, List.of(), Vocabularies.KNOWN).experiment())
        .isEqualTo(e);
    assertThat(parse(LEAST + "scenario: single_stream\n").experiment().load().scenario())
        .isEqualTo(Scenario.SINGLE_STREAM);
    assertThat(ResolvedConfig.write(parse(LEAST + "scenario: server\n").experiment()))
        .isEqualTo(ResolvedConfig.write(parse(LEAST).experiment()));
  }

  @Test
  void whatAScenarioCannotHave_isAMistake() {
    assertThatThrownBy(() -> parse(LEAST + "scenario: offline\n", "warmup_seconds=1"))
        .hasMessageContaining("warmup_seconds (1) must be 0 under scenario (offline)");
    assertThatThrownBy(() -> parse(LEAST + "scenario: offline\n", "arrivals=constant"))
        .hasMessageContaining("arrivals (constant) has no effect under scenario (offline)");
    assertThatThrownBy(() -> parse(LEAST + "scenario: single_stream\n", "load.rates=day.csv"))
        .hasMessageContaining("load (rates) has no effect under scenario (single_stream)");
    assertThatThrownBy(() -> parse(LEAST + "scenario: single_stream\n", "generators=2"))
        .hasMessageContaining("generators (2) must be 1 under scenario (single_stream)");
    assertThatThrownBy(
            () ->
                parse(
                    LEAST + "scenario: offline\n",
                    "arrival_rate_jobs_per_sec=1e6",
                    "duration_seconds=201"))
        .hasMessageContaining(
            "arrival_rate_jobs_per_sec × duration_seconds asks for about 201000000 jobs");
  }

  @Test
  void tooManyJobs_areThoseUnderTheShape() {
    assertThatThrownBy(
            () ->
                parse(
                    LEAST + "load: {steps: [{at_seconds: 1, factor: 1000}]}\n",
                    "tail_seconds=20000"))
        .hasMessageContaining(
            "arrival_rate_jobs_per_sec × (duration_seconds + tail_seconds) under load.steps asks"
                + " for about 200190010 jobs, more than 10000000");
  }

  @Test
  void emulatedLanes_takeATableOrALine() throws Exception {
    Experiment e =
        parse(
                LEAST
                    + """
                    workloads: [resnet18, {name: big, alpha_ms: 5, beta_ms: 0.25, tokens: 300}]
                    lanes: {kind: emulated, latency_table: latency/accelerator-like.csv}
                    """)
            .experiment();
    assertThat(e.lanes().latencyTable()).isEqualTo("latency/accelerator-like.csv");
    assertThat(e.workload("big").linear()).isEqualTo(new LinearServiceTime(5, 0.25, null, null));
  }

  @Test
  void syntheticWorkloads_areAsPopularAsZipfSays() throws Exception {
    Experiment e =
        parse(
                LEAST
                    + """
                    workloads: [{synthetic: 3, alpha_ms: 5, beta_ms: 1, zipf: 2, weight: 49}, {name: own, alpha_ms: 1, beta_ms: 1, tokens: 7}]
                    lanes: {kind: emulated}
                    """)
            .experiment();
    assertThat(e.jobs().workloads())
        .extracting(WorkloadChoice::name)
        .containsExactly("synthetic-1", "synthetic-2", "synthetic-3", "own");
    assertThat(e.jobs().workloads().stream().mapToDouble(WorkloadChoice::weight).toArray())
        .containsExactly(new double[] {36, 9, 4, 1}, within(1e-12)); // 1, 1 / 4, 1 / 9 of 49 / 36
    assertThat(e.workload("synthetic-3").linear())
        .isEqualTo(new LinearServiceTime(5, 1, null, null));
    assertThat(e.workload("synthetic-3").tokens()).isEqualTo(80);
    Path resolved = folder.resolve("resolved.yaml");
    Files.writeString(resolved, ResolvedConfig.write(e));
    assertThat(ExperimentFile.read(resolved, List.of(), Vocabularies.KNOWN).experiment())
        .isEqualTo(e);
  }

  @Test
  void aDefaultClass_keepsWhatTheFileDoesNotSay_andSoDoesTheOther() throws Exception {
    assertThat(parse(LEAST + "classes: {batch: {slo_ms: 1}}\n").experiment().jobs().classes())
        .containsExactly(
            new JobClass("interactive", 100, 1, true, false),
            new JobClass("batch", 1, 5, false, true));
  }

  @Test
  void mergeKeys_giveWhatAMappingDoesNotNameItself_theFirstOfAListFirst() throws Exception {
    String own = "{name: one, tokens: 10, alpha_ms: 5, beta_ms: 1}";
    String lanes = "lanes: {kind: emulated}\nbackends_enabled: [onnx]\n";
    assertThat(
            parse(
                    LEAST
                        + lanes
                        + """
                        x-common: &common {tokens: 10, alpha_ms: 5}
                        workloads:
                        - {<<: *common, beta_ms: 1, name: one}
                        - &two {name: two, tokens: 20, alpha_ms: 7, beta_ms: 3}
                        - {<<: [*common, *two], name: three}
                        """)
                .experiment()
                .jobs()
                .workloads())
        .isEqualTo(
            parse(
                    LEAST
                        + lanes
                        + "workloads:\n- "
                        + own
                        + """

                        - {name: two, tokens: 20, alpha_ms: 7, beta_ms: 3}
                        - {name: three, tokens: 10, alpha_ms: 5, beta_ms: 3}
                        """)
                .experiment()
                .jobs()
                .workloads());
  }

  @Test
  void inputs_areWhatAModelOfOnesOwnTakes() throws Exception {
    ModelFile model =
        parse(
                LEAST
                    + """
                    backends_enabled: [onnx]
                    workloads:
                    - name: mine
                      path: mine.onnx
                      tokens: 10
                      inputs:
                      - {name: ids, shape: [16], dtype: int64, range: [0, 999]}
                      - {name: mask, shape: [16], dtype: int32}
                      - {name: image, shape: [3, 8, 8], dtype: uint8}
                      - {name: scale, dtype: float16}
                    """)
            .experiment()
            .workload("mine")
            .model();
    assertThat(model).isNotNull();
    assertThat(model.inputShape()).isNull();
    assertThat(model.inputs())
        .containsExactly(
            new ModelInput("ids", List.of(16), Dtype.INT64, List.of(0.0, 999.0)),
            new ModelInput("mask", List.of(16), Dtype.INT32, List.of(0.0, 1.0)),
            new ModelInput("image", List.of(3, 8, 8), Dtype.UINT8, List.of(0.0, 255.0)),
            new ModelInput("scale", List.of(), Dtype.FLOAT16, List.of()));
  }

  @Test
  void arrivalsFromAFile_needNoRate() throws Exception {
    Experiment experiment =
        parse("duration_seconds: 20\narrivals: {process: trace, file: a.csv}\n").experiment();
    assertThat(experiment.load().arrivalRateJobsPerSec()).isNaN();
    assertThat(experiment.load().askedRateJobsPerSec()).isNaN();
    assertThat(parse(ResolvedConfig.write(experiment)).experiment()).isEqualTo(experiment);
  }

  @Test
  void overrides_replaceAndAddKeys_andTheLastOneCounts() throws Exception {
    Experiment e =
        parse(
                LEAST + "lanes: {num_lanes: 2, threads: 3}\n",
                "lanes.num_lanes=4",
                "lanes.num_lanes=5",
                "classes.interactive.slo_ms=250.5",
                "batch_sizes=[1, 2]",
                "thresholds.all_p99_e2e_ms=> 10",
                "duration_seconds = 30")
            .experiment();
    assertThat(e.lanes().numLanes()).isEqualTo(5);
    assertThat(e.lanes().threads()).isEqualTo(3);
    assertThat(e.jobClass("interactive").sloMs()).isEqualTo(250.5);
    assertThat(e.jobClass("batch").sloMs()).isEqualTo(1000);
    assertThat(e.jobs().batchSizes()).containsExactly(1, 2);
    assertThat(e.thresholds()).containsEntry("all_p99_e2e_ms", new Threshold(">", 10));
    assertThat(e.load().durationSeconds()).isEqualTo(30);
  }

  @Test
  void windowsLineEnds_andAByteOrderMark_changeNothing() throws Exception {
    String windows = "\uFEFF" + (LEAST + "lanes:\n  num_lanes: 3\n").replace("\n", "\r\n");
    ParsedExperiment parsed = parse(windows);
    assertThat(parsed.experiment().lanes().numLanes()).isEqualTo(3);
    assertThat(parsed.location("lanes.num_lanes")).isEqualTo(parsed.file() + ":4");
  }

  @Test
  void locations_areThoseOfTheValues() throws Exception {
    ParsedExperiment parsed =
        parse(LEAST + "workloads:\n  - resnet18\n  - name: vit\n    weight: 2\n", "seed=1");
    assertThat(parsed.location("duration_seconds")).isEqualTo(parsed.file() + ":1");
    assertThat(parsed.location("workloads.vit")).isEqualTo(parsed.file() + ":5");
    assertThat(parsed.location("seed")).isEqualTo("--set seed=1");
    assertThat(parsed.location("lanes.latency_table")).isEqualTo(parsed.file().toString());
    assertThat(parsed.resolve("latency/a.csv")).isEqualTo(folder.resolve("latency/a.csv"));
  }

  @Test
  void theFilesName_isTheRunsName_whereItIsValid() throws Exception {
    Path file = folder.resolve("Größe 7 (neu).v2.yaml");
    Files.writeString(file, LEAST);
    assertThat(ExperimentFile.read(file, List.of(), Vocabularies.KNOWN).experiment().runName())
        .isEqualTo("Gr--e-7--neu-.v2");
  }

  @Test
  void everyPrecisionAndDevice_canBeAskedFor() throws Exception {
    Experiment e =
        parse(LEAST + "precision_modes: [bf16, fp16, fp32]\nlanes: {device: \"cuda:1\"}\n")
            .experiment();
    assertThat(e.jobs().precisionModes()).containsExactly("bf16", "fp16", "fp32");
    assertThat(e.lanes().device()).isEqualTo("cuda:1");
    for (String device : List.of("auto", "cpu", "cuda", "cuda:0")) {
      assertThat(parse(LEAST, "lanes.device=" + device).experiment().lanes().device())
          .isEqualTo(device);
    }
  }

  @Test
  void aBoundOfTheQueue_canBeNone() throws Exception {
    Experiment e = parse(LEAST + "max_waiting: none\nexpire_after_ms: none\n").experiment();
    assertThat(e.scheduling().maxWaiting()).isNull();
    assertThat(e.scheduling().expireAfterMs()).isNull();
  }

  @Test
  void aJobBeyondTheBudget_isAccepted_whenItMayRunOutsideIt() throws Exception {
    assertThat(
            parse(LEAST + "resources: {total_tokens: 13, cpu_fallback: true}\n")
                .experiment()
                .resources())
        .isEqualTo(new Resources(true, 13, true));
  }

  @Test
  void whatComesLater_isAcceptedAtItsDefault() throws Exception {
    ParsedExperiment parsed =
        parse(
            LEAST
                + """
                classes: {batch: {slo_scale: none}}
                recorded: {anything: [at, all]}
                """);
    assertThat(parsed.warnings()).isEmpty();
  }

  @Test
  void whatHasNoEffectYet_isAWarning() throws Exception {
    ParsedExperiment parsed =
        parse(
            LEAST
                + """
                lanes:
                  latency_table: a.csv
                """);
    String file = parsed.file().toString();
    assertThat(parsed.warnings())
        .containsExactly(
            file + ":4: warning: lanes.latency_table (a.csv) has no effect on real lanes.");
  }

  @Test
  void aPromise_canBeAMultipleOfTheIsolatedTime() throws Exception {
    String classes =
        "classes: {batch: {slo_scale: 5}, gold: {slo_scale: 2.5, interactive: true}}\n";
    ParsedExperiment real = parse(LEAST + classes + "lanes: {latency_table: a.csv}\n");
    assertThat(real.experiment().jobs().classes())
        .containsExactly(
            new JobClass("batch", null, 5.0, 5, false, true),
            new JobClass("gold", null, 2.5, 5, true, false));
    assertThat(real.warnings()).as("real lanes read the table, too").isEmpty();
    assertThat(real.location("classes.gold.slo_scale")).isEqualTo(real.file() + ":3");

    ParsedExperiment linear =
        parse(
            LEAST
                + classes
                + "workloads: [{name: toy, alpha_ms: 5, beta_ms: 1, tokens: 1}]\n"
                + "lanes: {kind: emulated}\n");
    assertThat(linear.experiment().lanes().latencyTable()).isNull();
  }

  @Test
  void emulatedLanesWithoutATable_haveTheDefaultOne_thatComesWithSluice() throws Exception {
    ParsedExperiment parsed =
        parse(
            LEAST
                + "workloads: [resnet50, {name: bert_large, tokens: 670}]\n"
                + "backends_enabled: [tensorrt]\n"
                + "lanes: {kind: emulated}\n");
    String table = parsed.experiment().lanes().latencyTable();
    assertThat(table).isEqualTo(Lanes.DEFAULT_TABLE);
    assertThat(parsed.resolve(table))
        .endsWithRaw(Path.of("configs/latency/published/triton-a100-80gb.csv"))
        .isNotEqualTo(parsed.resolve("latency/published/triton-a100-80gb.csv"));
    assertThat(parse(LEAST).experiment().lanes().latencyTable()).as("real lanes").isNull();
  }

  @Test
  void aDeviceOfEmulatedLanes_isAWarning() throws Exception {
    ParsedExperiment parsed =
        parse(LEAST + "lanes: {kind: emulated, latency_table: a.csv, device: cuda}\n");
    assertThat(parsed.warnings())
        .containsExactly(
            parsed.file() + ":3: warning: lanes.device (cuda) has no effect on emulated lanes.");
  }

  @ParameterizedTest
  @ValueSource(strings = {"fifo_baseline", "mixed_slo_microbatch", "dynamic_predictor"})
  void theFirstFiles_areAccepted(String name) throws Exception {
    Path file = Path.of("src/test/resources/seed", name + ".yaml");
    ParsedExperiment parsed = ExperimentFile.read(file, List.of(), Vocabularies.KNOWN);
    assertThat(parsed.experiment().runName()).isEqualTo(name);
    assertThat(parsed.experiment().jobs().batchSizes()).containsExactly(1, 8, 32);
    assertThat(parsed.warnings()).isEmpty();
  }

  /** Folders of configs that hold no experiments. */
  private static final Set<String> OTHER_CONFIGS =
      Set.of("layers", "league", "sweeps", "workflows");

  @Test
  void everyShippedConfig_isAccepted_withoutAWarning() throws Exception {
    List<Path> files;
    try (Stream<Path> all = Files.walk(Path.of("../configs"))) {
      files =
          all.filter(path -> path.toString().endsWith(".yaml"))
              .filter(path -> !OTHER_CONFIGS.contains(path.getParent().getFileName().toString()))
              .sorted()
              .toList();
    }
    assertThat(files).hasSizeGreaterThanOrEqualTo(10);
    for (Path file : files) {
      boolean profile = file.endsWith("profile.yaml"); // needs no arrivals
      List<String> arrivals =
          profile ? List.of("duration_seconds=1", "arrival_rate_jobs_per_sec=1") : List.of();
      ParsedExperiment parsed = ExperimentFile.read(file, arrivals, Vocabularies.KNOWN);
      assertThat(parsed.warnings()).as(file.toString()).isEmpty();
      assertThat(Files.readString(file))
          .containsPattern("(?m)^#   ./sluice (run|chaos|profile) configs/");
    }
  }

  @Test
  void theConfigsOfThePolicies_differInNameAndPolicyAlone() throws Exception {
    List<Path> files;
    try (Stream<Path> all = Files.list(Path.of("../configs/policies"))) {
      files = all.sorted().toList();
    }
    assertThat(files.stream().map(file -> file.getFileName().toString().replace(".yaml", "")))
        .containsExactlyInAnyOrderElementsOf(Vocabularies.KNOWN.schedulers().keySet());
    List<Experiment> alike =
        files.stream()
            .map(
                file -> {
                  try {
                    return ExperimentFile.read(
                            file, List.of("run_name=r", "scheduler_name=fifo"), Vocabularies.KNOWN)
                        .experiment();
                  } catch (UserMistakeException e) {
                    throw new AssertionError(e);
                  }
                })
            .distinct()
            .toList();
    assertThat(alike).hasSize(1);
  }

  private ParsedExperiment parse(String text, String... overrides) throws Exception {
    Path file = folder.resolve("my-test.yaml");
    Files.writeString(file, text);
    return ExperimentFile.read(file, List.of(overrides), Vocabularies.KNOWN);
  }
}
