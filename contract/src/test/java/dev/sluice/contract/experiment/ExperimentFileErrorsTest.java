package dev.sluice.contract.experiment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.sluice.contract.file.Tree;
import dev.sluice.contract.file.UserMistakeException;
import dev.sluice.contract.file.UserMistakeException.Problem;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Bad input: each mistake is named with its line, its value, and what to try. */
final class ExperimentFileErrorsTest {
  /** Two lines, so that what is appended begins at line 3. */
  private static final String LEAST = "duration_seconds: 20\narrival_rate_jobs_per_sec: 10\n";

  private static final String KNOWN_KEYS =
      "admission, allow_slow_precision, arrival_rate_jobs_per_sec, arrivals, backends_enabled, batch_sizes, classes,"
          + " duration_seconds, expire_after_ms, generators, interactive_ratio, kafka, lanes, load,"
          + " max_waiting, microbatch, offered_load, precision_modes, predictor, recorded, resources, run_name,"
          + " scenario, scheduler, scheduler_name, seed, simulation, tail_seconds, thresholds, warmup_seconds, workloads";

  @TempDir private Path folder;
  private Path file;

  @BeforeEach
  void nameTheFile() {
    file = folder.resolve("burst.yaml");
  }

  @Test
  void anUnknownPolicy_isNamedWithTheNearestAndAll() throws Exception {
    assertThat(message(LEAST + "scheduler_name: fifoo\n"))
        .isEqualTo(
            "burst.yaml:3: error: scheduler_name (fifoo) is unknown.\n"
                + "  Maybe you meant fifo. Known schedulers: batch_aware, dynamic, fifo,"
                + " priority_slo, random.");
  }

  @Test
  void aMisspeltKey_isNamedWithTheNearestAndAll() throws Exception {
    assertThat(message(LEAST + "arrival: poisson\n"))
        .isEqualTo(
            "burst.yaml:3: error: the key arrival is unknown.\n"
                + "  Maybe you meant arrivals. Known keys: "
                + KNOWN_KEYS
                + ".");
  }

  @Test
  void allMistakes_areReportedAtOnce_inTheOrderOfTheFile() throws Exception {
    assertThat(
            message(
                """
                duration_seconds: -1
                lanes:
                  num_lanes: 2.7
                  kind: emulatd
                seeed: 1
                """,
                "generators=0"))
        .isEqualTo(
            "burst.yaml: error: arrival_rate_jobs_per_sec is missing.\n"
                + "  Maybe a line should be added: arrival_rate_jobs_per_sec: 10, or offered_load: 0.5.\n"
                + "burst.yaml:1: error: duration_seconds (-1) must be at least 0.001 and at most"
                + " 1000000.\n"
                + "  Maybe you meant 1.\n"
                + "burst.yaml:3: error: lanes.num_lanes (2.7) must be a whole number.\n"
                + "  Maybe you meant 3.\n"
                + "burst.yaml:4: error: lanes.kind (emulatd) is unknown.\n"
                + "  Maybe you meant emulated. Known kinds of lanes: emulated, real.\n"
                + "burst.yaml:5: error: the key seeed is unknown.\n"
                + "  Maybe you meant seed. Known keys: "
                + KNOWN_KEYS
                + ".\n"
                + "--set generators=0: error: generators (0) must be at least 1 and at most"
                + " 1000.\n"
                + "  Maybe you meant 1.");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      textBlock =
          """
          warmup_seconds: -1              | 3 | warmup_seconds (-1) must be at least 0 and at most 1000000
          warmup_seconds: 20              | 3 | warmup_seconds (20) must be less than duration_seconds (20): nothing would be measured
          tail_seconds: .inf              | 3 | tail_seconds (.inf) must be at least 0 and at most 1000000
          tail_seconds: "5"               | 3 | tail_seconds (5) must be a number
          tail_seconds: soon              | 3 | tail_seconds (soon) must be a number
          tail_seconds: [5]               | 3 | tail_seconds (a list) must be a number
          interactive_ratio: 1.2          | 3 | interactive_ratio (1.2) must be at least 0 and at most 1
          interactive_ratio: NaN          | 3 | interactive_ratio (NaN) must be at least 0 and at most 1
          interactive_ratio: .nan         | 3 | interactive_ratio (.nan) must be at least 0 and at most 1
          interactive_ratio:              | 3 | interactive_ratio has no value
          seed: ~                         | 3 | seed has no value
          seed: 2.7                       | 3 | seed (2.7) must be a whole number
          seed: 9223372036854775808       | 3 | seed (9223372036854775808) must be at least -9223372036854775808 and at most 9223372036854775807
          generators: 2.0                 | 3 | generators (2.0) must be a whole number
          generators: "2"                 | 3 | generators (2) must be a whole number
          run_name: a b                   | 3 | run_name (a b) cannot name topics and folders
          run_name: ../up                 | 3 | run_name (../up) cannot name topics and folders
          run_name: [a]                   | 3 | run_name (a list) must be a text
          batch_sizes: []                 | 3 | batch_sizes ([]) is an empty list
          batch_sizes: 8                  | 3 | batch_sizes (8) must be a list
          batch_sizes: [1, 2, 1]          | 3 | batch_sizes (1) stands in the list twice
          batch_sizes: [1, 0]             | 3 | batch_sizes (0) must be at least 1 and at most 4096
          batch_sizes: [1, 2.7]           | 3 | batch_sizes (2.7) must be a whole number
          batch_sizes: [1, 300]           | 3 | a job of resnet18 with 300 samples costs 1280 tokens, more than resources.total_tokens (1000)
          resources: {total_tokens: 380}  | 3 | a job of vit with 32 samples costs 388 tokens, more than resources.total_tokens (380)
          resources: {cpu_fallback: 1}    | 3 | resources.cpu_fallback (1) must be true or false
          resources: {enabled: maybe}     | 3 | resources.enabled (maybe) must be true or false
          resources: 5                    | 3 | resources (5) must be a mapping of keys to values
          workloads: [resnet81]           | 3 | workloads (resnet81) is unknown
          workloads: [vit, vit]           | 3 | workloads (vit) stands in the list twice
          workloads: []                   | 3 | workloads ([]) is an empty list
          workloads: [[vit]]              | 3 | workloads.name (a list) must be a text
          workloads: [{weight: 2}]        | 3 | an entry of workloads has no name
          workloads: [{name: vit, weight: 0}] | 3 | workloads.weight (0) must be at least 0.000001 and at most 1000000000
          workloads: [{name: vit, wieght: 1}] | 3 | the key workloads.wieght is unknown
          workloads: [{name: vit, path: vit.pt, input_shape: [3]}] | 3 | workloads (vit) is built in and cannot have a file of its own
          workloads: [{name: m, input_shape: [3], tokens: 1}] | 3 | a model of your own has no path
          workloads: [{name: m, path: m.pt, tokens: 1}] | 3 | a model of your own has no input_shape
          workloads: [{name: m, path: m.pt, input_shape: [3]}] | 3 | workloads (m) has no tokens
          workloads: [{name: m, path: m.pkl, input_shape: [3], tokens: 1}] | 3 | workloads.path (m.pkl) is neither a .pt nor an .onnx file
          workloads: [{name: m/n, path: m.pt, input_shape: [3], tokens: 1}] | 3 | workloads (m/n) is not a valid name for a workload
          workloads: [{name: m, path: m.onnx, input_shape: [3], tokens: 1}] | 3 | backends_enabled (pytorch) would send jobs to a backend that cannot run m (m.onnx)
          workloads: [{name: m, path: m.pt, input_shape: [3, 9999, 9999], tokens: 1}] | 3 | workloads.input_shape ([3, 9999, 9999]) has more than 4000000 values per sample
          workloads: [{name: vit, alpha_ms: 1, beta_ms: 1}] | 3 | workloads (vit) has alpha_ms and beta_ms, but its lanes are real
          workloads: [{name: vit, memory_budget: much}] | 3 | workloads.memory_budget (much) is no size
          workloads: [{name: vit, memory_budget: 28MB}] | 3 | workloads.memory_budget (28MB) is below the largest layer of vit (28351488 bytes)
          workloads: [{name: m, path: m.pt, input_shape: [3], tokens: 1, memory_budget: 1GB}] | 3 | workloads.memory_budget (1GB) has no effect on m, whose layers are not known
          workloads: [{synthetic: 2, alpha_ms: 1, beta_ms: 1, memory_budget: 1GB}] | 3 | the key workloads.memory_budget is unknown
          workloads: [{synthetic: 0, alpha_ms: 1, beta_ms: 1}] | 3 | workloads.synthetic (0) must be at least 1 and at most 1000
          workloads: [{synthetic: 64, alpha_ms: 5, beta_ms: 1}] | 3 | workloads.synthetic (64) works on emulated lanes only, and these lanes are real
          workloads: [{synthetic: 64, alpha_ms: 5}] | 3 | workloads.alpha_ms (5) + workloads.beta_ms (0) × samples is not a service time: both keys must be given, and one must be above 0
          workloads: [{synthetic: 64, zipf: 1}] | 3 | workloads.synthetic (64) has no service time
          workloads: [{synthetic: 64, alpha_ms: 1, beta_ms: 1, zipf: -1}] | 3 | workloads.zipf (-1) must be at least 0 and at most 10
          workloads: [{synthetic: 64, alpha_ms: 1, beta_ms: 1, name: x}] | 3 | the key workloads.name is unknown
          workloads: [{synthetic: 2, alpha_ms: 1, beta_ms: 1}, {synthetic: 3, alpha_ms: 2, beta_ms: 1}] | 3 | workloads (synthetic-1) stands in the list twice
          backends_enabled: [pytorh]      | 3 | backends_enabled (pytorh) is unknown
          backends_enabled: [onnx, tensorrt, tvm] | 3 | backends_enabled (tensorrt, tvm) works on emulated lanes only, and these lanes are real
          backends_enabled: [onnx, onnx]  | 3 | backends_enabled (onnx) stands in the list twice
          precision_modes: [fp31]         | 3 | precision_modes (fp31) is unknown
          precision_modes: [bf16, bf16]   | 3 | precision_modes (bf16) stands in the list twice
          arrivals: poison                | 3 | arrivals (poison) is unknown
          arrivals: {process: poison}     | 3 | arrivals.process (poison) is unknown
          arrivals: {}                    | 3 | arrivals.process is missing
          arrivals: {cv: 2}               | 3 | arrivals.process is missing
          arrivals: [poisson]             | 3 | arrivals (a list) must be a text
          arrivals: gamma                 | 3 | arrivals (gamma) needs cv
          arrivals: {process: gamma}      | 3 | arrivals.cv is missing
          arrivals: {process: gamma, cv: 0} | 3 | arrivals.cv (0) must be at least 0.05 and at most 20
          arrivals: {process: gamma, cv: .nan} | 3 | arrivals.cv (.nan) must be at least 0.05 and at most 20
          arrivals: {process: gamma, cv: }| 3 | arrivals.cv has no value
          arrivals: {process: gamma, cw: 2, cv: 2} | 3 | the key arrivals.cw is unknown
          arrivals: {process: poisson, cv: 2} | 3 | the key arrivals.cv is unknown
          load: {}                        | 3 | load has no shape
          load: high                      | 3 | load (high) must be a mapping of keys to values
          load: {dirunal: {period_seconds: 60, depth: 1}} | 3 | the key load.dirunal is unknown
          load: {diurnal: 5}              | 3 | load.diurnal (5) must be a mapping of keys to values
          load: {diurnal: {depth: 1}}     | 3 | load.diurnal.period_seconds is missing
          load: {diurnal: {period_seconds: 0, depth: 1}} | 3 | load.diurnal.period_seconds (0) must be at least 0.001 and at most 1000000
          load: {diurnal: {period_seconds: 5, depth: 1.1}} | 3 | load.diurnal.depth (1.1) must be at least 0 and at most 1
          load: {diurnal: {period_seconds: 5, depth: 1, phase: 2}} | 3 | the key load.diurnal.phase is unknown
          load: {steps: []}               | 3 | load.steps ([]) is an empty list
          load: {steps: [5]}              | 3 | an entry of load.steps must be a mapping
          load: {steps: [{factor: 2}]}    | 3 | load.steps.at_seconds is missing
          load: {steps: [{at_seconds: 2}]} | 3 | load.steps.factor is missing
          load: {steps: [{at_seconds: 2, factor: -1}]} | 3 | load.steps.factor (-1) must be at least 0 and at most 1000
          load: {steps: [{at_seconds: 5, factor: 1, over_seconds: 3}, {at_seconds: 7, factor: 2}]} | 3 | load.steps (at_seconds 7) begins before the change above it ends, at 8
          load: {rates: a.csv, steps: [{at_seconds: 5, factor: 1}]} | 3 | load has steps and rates, and a rate has one shape
          load: {rates: [1, 2]}           | 3 | load.rates (a list) must be a text
          load: {steps: [{at_seconds: 0, factor: 1000}], rates: } | 3 | load.rates has no value
          offered_load: 0.5               | 3 | offered_load (0.5) and arrival_rate_jobs_per_sec both say how many jobs arrive
          offered_load: 0                 | 3 | offered_load (0) must be at least 0.001 and at most 100
          scenario: ofline                | 3 | scenario (ofline) is unknown
          admission: hopeful              | 3 | admission (hopeful) is unknown
          scheduler: {urgency: 1}         | 3 | the key scheduler.urgency is unknown
          microbatch: {window_ms: -1}     | 3 | microbatch.window_ms (-1) must be at least 0 and at most 1000000000
          microbatch: {policies: [fifi]}  | 3 | microbatch.policies (fifi) is unknown
          allow_slow_precision: slow      | 3 | allow_slow_precision (slow) must be true or false
          max_waiting: 0                  | 3 | max_waiting (0) must be at least 1 and at most 200000000
          max_waiting: many               | 3 | max_waiting (many) must be a whole number
          max_waiting: 2.5                | 3 | max_waiting (2.5) must be a whole number
          expire_after_ms: 0              | 3 | expire_after_ms (0) must be at least 0.000001 and at most 1000000000
          expire_after_ms: never          | 3 | expire_after_ms (never) must be a number
          expire_after_ms: NaN            | 3 | expire_after_ms (NaN) must be at least 0.000001 and at most 1000000000
          lanes: {ahead: 2}               | 3 | lanes.ahead (2) must be at least 0 and at most 1
          lanes: {device: gpu}            | 3 | lanes.device (gpu) is unknown
          lanes: {device: "cuda:-1"}      | 3 | lanes.device (cuda:-1) is unknown
          lanes: {lease_ms: 0}            | 3 | lanes.lease_ms (0) must be at least 20 and at most 86400000
          lanes: {lease_ms: 399}          | 3 | lanes.lease_ms (399) must be at least twice lanes.heartbeat_ms (200): a lane would be lost with the first report that is late
          lanes: {heartbeat_ms: 1001}     | 3 | lanes.lease_ms (2000) must be at least twice lanes.heartbeat_ms (1001): a lane would be lost with the first report that is late
          lanes: {speed: 4}               | 3 | lanes.speed works on emulated lanes only, and these lanes are real
          lanes: {drift: [{at_seconds: 6, factor: 2}]} | 3 | lanes.drift works on emulated lanes only, and these lanes are real
          lanes: {kind: emulated, drift: [3]} | 3 | an entry of lanes.drift must be a mapping
          lanes: {kind: emulated, drift: [{at_seconds: 6}]} | 3 | lanes.drift.factor is missing
          lanes: {max_attempts: 0}        | 3 | lanes.max_attempts (0) must be at least 1 and at most 1000
          kafka: {shards: 65}             | 3 | kafka.shards (65) must be at least 1 and at most 64
          kafka: {shards: 0}              | 3 | kafka.shards (0) must be at least 1 and at most 64
          kafka: {bootstrap_servers: here} | 3 | kafka.bootstrap_servers (here) is neither embedded nor HOST:PORT
          predictor: {quantile: 1}        | 3 | predictor.quantile (1) must be at least 0.01 and at most 0.999
          predictor: {retrain_seconds: -1} | 3 | predictor.retrain_seconds (-1) must be at least 0 and at most 1000000
          microbatch: {respect_deadlines: maybe} | 3 | microbatch.respect_deadlines (maybe) must be true or false
          classes: {gold: {priority: 1}}  | 3 | classes.gold.slo_ms is missing
          classes: {all: {slo_ms: 1}}     | 3 | classes.all is not a valid name for a class
          classes: {gold: {slo_ms: 1}}    | 3 | interactive_ratio (0.3) needs a class that is interactive, and there is none
          classes: {batch: {slo_ms: 0}}   | 3 | classes.batch.slo_ms (0) must be at least 0.001 and at most 1000000000
          classes: {batch: {slo_scale: 5}} | 3 | classes.batch.slo_scale (5) needs the time that resnet18, resnet50, vit takes alone, and lanes.latency_table is missing
          classes: {batch: {slo_scale: 0}} | 3 | classes.batch.slo_scale (0) must be at least 0.001 and at most 1000000
          classes: {batch: {slo_scale: 5, slo_ms: 70}} | 3 | classes.batch.slo_scale (5) is given beside slo_ms (70): a class has only one of them
          thresholds: {all_p98_e2e_ms: 5} | 3 | thresholds (all_p98_e2e_ms) is not a figure
          thresholds: {all_p99_e2e_ms: 5} | 3 | thresholds.all_p99_e2e_ms (5) is not a bound
          thresholds: {all_p99_e2e_ms: < x} | 3 | thresholds.all_p99_e2e_ms (< x) is not a bound
          thresholds: {all_p99_e2e_ms: {abort: true}} | 3 | thresholds.all_p99_e2e_ms (nothing) is not a bound
          thresholds: {all_p99_e2e_ms: [1]} | 3 | thresholds.all_p99_e2e_ms (a list or a mapping) is not a bound
          thresholds: {all_p99_e2e_ms: {bound: < 5, abort: 3}} | 3 | thresholds.all_p99_e2e_ms.abort (3) must be true or false
          thresholds: {all_p99_e2e_ms: {bound: < 5, stop: true}} | 3 | thresholds.all_p99_e2e_ms.stop is unknown
          thresholds: {by_class_workload.batch.vit.p98_e2e_ms: < 5} | 3 | thresholds (by_class_workload.batch.vit.p98_e2e_ms) is not a figure
          thresholds: {by_class_workload: {batch: {vit: {p98: < 5}}}} | 3 | thresholds (by_class_workload.batch.vit.p98) is not a figure
          thresholds: {by_class_workload: {batch: < 5}} | 3 | thresholds (by_class_workload.batch) is not a figure
          [a]: 1                          | 3 | a key must be a plain name
          "": 1                           | 3 | a key is empty
          predictor: {model_path: ""}     | 3 | predictor.model_path ("") is empty
          simulation: {latency_table: "a\\0"} | 3 | simulation.latency_table (a\\u0000) holds a control character
          seed: 1e999                     | 3 | seed (1e999) must be a whole number
          """)
  void aBadValue_isNamedWithItsLine(String line, int lineNumber, String what) throws Exception {
    assertThat(problems(LEAST + line + "\n"))
        .anySatisfy(
            problem -> {
              assertThat(problem.what()).isEqualTo(what);
              assertThat(problem.maybe()).isNotBlank();
              assertThat(problem.location())
                  .isEqualTo(file + (lineNumber == 0 ? "" : ":" + lineNumber));
            });
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          backends_enabled: [onnx]       | backends_enabled (onnx) cannot run vit, whose memory_budget works with pytorch alone
          precision_modes: [fp32, bf16]  | precision_modes (fp32, bf16) cannot run vit, whose memory_budget works with fp32 alone
          lanes: {device: cuda}          | lanes.device (cuda) cannot run vit, whose memory_budget is for processors
          """)
  void aMemoryBudget_isRefusedWhereItCannotWork(String line, String what) throws Exception {
    String workloads = "workloads: [{name: vit, memory_budget: 64MB}]\n";
    assertThat(problems(LEAST + workloads + line + "\n"))
        .singleElement()
        .satisfies(
            problem -> {
              assertThat(problem.what()).isEqualTo(what);
              assertThat(problem.location()).isEqualTo(file + ":4");
            });
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          0         | must be at least 0.000001 and at most 1000000
          -3        | must be at least 0.000001 and at most 1000000
          NaN       | must be at least 0.000001 and at most 1000000
          .inf      | must be at least 0.000001 and at most 1000000
          Infinity  | must be at least 0.000001 and at most 1000000
          1e999     | must be at least 0.000001 and at most 1000000
          fast      | must be a number
          true      | must be a number
          0x10      | must be a number
          """)
  void aBadRate_isRefused(String rate, String rule) throws Exception {
    assertThat(problems("duration_seconds: 5\n\narrival_rate_jobs_per_sec: " + rate))
        .singleElement()
        .satisfies(
            problem -> {
              assertThat(problem.location()).isEqualTo(file + ":3");
              assertThat(problem.what())
                  .isEqualTo("arrival_rate_jobs_per_sec (" + rate + ") " + rule);
            });
  }

  @Test
  void aJobCostsLessInHalfPrecision_unlessItMayBeFp32AsWell() throws Exception {
    String vit = LEAST + "workloads: [vit]\nresources: {total_tokens: 271}\n";
    assertThat(problems(vit + "precision_modes: [bf16]\n"))
        .extracting(Problem::what)
        .containsExactly(
            "a job of vit with 32 samples in bf16 costs 272 tokens, more than"
                + " resources.total_tokens (271)");
    assertThat(problems(vit + "precision_modes: [bf16, fp32]\n"))
        .extracting(Problem::what)
        .containsExactly(
            "a job of vit with 32 samples costs 388 tokens, more than resources.total_tokens"
                + " (271)");
  }

  @Test
  void aModelOfYourOwn_runsInNoOtherPrecision() throws Exception {
    assertThat(
            problems(
                LEAST
                    + "workloads: [{name: m, path: m.pt, input_shape: [3], tokens: 1}]\n"
                    + "precision_modes: [fp32, bf16]\n"))
        .singleElement()
        .satisfies(
            problem -> {
              assertThat(problem.location()).isEqualTo(file + ":4");
              assertThat(problem.what())
                  .isEqualTo(
                      "precision_modes (fp32, bf16) cannot change m (m.pt): your own model file"
                          + " runs as it is");
            });
  }

  @Test
  void anOfferedLoad_isRefusedWhereJobsDoNotArriveOverTime() throws Exception {
    assertThat(message("duration_seconds: 20\noffered_load: 0.5\nscenario: offline\n"))
        .startsWith(
            "burst.yaml:2: error: offered_load (0.5) has no meaning under scenario (offline): its"
                + " jobs do not arrive over time.\n  Maybe arrival_rate_jobs_per_sec is meant");
  }

  @Test
  void moreJobsThanMemoryHolds_areRefused() throws Exception {
    assertThat(problems("duration_seconds: 1000000\narrival_rate_jobs_per_sec: 1000000\n"))
        .singleElement()
        .satisfies(
            problem -> {
              assertThat(problem.location()).isEqualTo(file + ":2");
              assertThat(problem.what()).contains("about 1000030000000 jobs");
            });
  }

  @Test
  void aDuplicateKey_isNamedWithBothLines() throws Exception {
    assertThat(
            message(
                LEAST + "lanes:\n  threads: 1\n  num_lanes: 1\n  threads: 2\nseed: 1\nseed: 1\n"))
        .isEqualTo(
            "burst.yaml:6: error: the key threads is here a second time, first at"
                + " burst.yaml:4.\n"
                + "  Maybe one of the two should be removed.\n"
                + "burst.yaml:8: error: the key seed is here a second time, first at"
                + " burst.yaml:7.\n"
                + "  Maybe one of the two should be removed.");
  }

  @Test
  void aTab_isNamedWithItsLine() throws Exception {
    assertThat(problems(LEAST + "lanes:\n\tnum_lanes: 2\n"))
        .singleElement()
        .satisfies(
            problem -> {
              assertThat(problem.location()).isEqualTo(file + ":4");
              assertThat(problem.what()).startsWith("this is not YAML (");
              assertThat(problem.maybe()).isEqualTo("the tab on that line should be spaces");
            });
  }

  @ParameterizedTest
  @CsvSource({
    "'lanes: {num_lanes: 2\nseed: 3\n', 4",
    "'batch_sizes: [1, 2\n', 4",
    "'run_name: \"open\n', 4",
    "'run_name: \"\\u', 3",
    "'  seed: 1\n', 3",
    "'---\nseed: 1\n', 3",
    "'run_name: *nobody\n', 3",
  })
  void whatIsNotYaml_isNamedWithItsLine(String rest, int line) throws Exception {
    assertThat(problems(LEAST + rest))
        .singleElement()
        .satisfies(
            problem -> {
              assertThat(problem.location()).isEqualTo(file + ":" + line);
              assertThat(problem.what()).startsWith("this is not YAML (").doesNotContain("\n");
            });
  }

  @ParameterizedTest
  @CsvSource({
    "'', the file is empty",
    "'# only a remark\n', the file is empty",
    "'~', the file is empty"
  })
  void anEmptyFile_isRefused(String text, String what) throws Exception {
    assertThat(problems(text))
        .containsExactly(
            new Problem(
                file.toString(), what, "it should begin with arrival_rate_jobs_per_sec: 10"));
  }

  @ParameterizedTest
  @CsvSource({"'- a\n- b\n'", "'\nhello\n'"})
  void aFileThatIsNoMapping_isRefused(String text) throws Exception {
    assertThat(problems(text))
        .singleElement()
        .extracting(Problem::what)
        .isEqualTo("an experiment file is a mapping of keys to values, and this is not");
  }

  @Test
  void anAliasBomb_isRefused() throws Exception {
    var bomb = new StringBuilder("a0: &a0 [x, x, x, x, x, x, x, x, x]\n");
    for (int i = 1; i < 9; i++) {
      bomb.append("a").append(i).append(": &a").append(i).append(" [");
      bomb.append(("*a" + (i - 1) + ",").repeat(9)).append("]\n");
    }
    assertThat(problems(bomb.toString())).singleElement();
    assertThat(problems(LEAST + "lanes: &l {x: *l}\n")).isNotEmpty();
    assertThat(problems("a: " + "[".repeat(5000))).singleElement();
  }

  @ParameterizedTest
  @ValueSource(strings = {"UTF-16", "UTF-16LE", "UTF-16BE", "UTF-32", "UTF-32LE", "UTF-32BE"})
  void anotherEncoding_isRefusedWithItsLine_asYamlAndAsJson(String encoding) throws Exception {
    Path json = file.resolveSibling("requests.json");
    for (Path named : List.of(file, json)) {
      Files.write(named, "{\"seed\": 1}\n".getBytes(Charset.forName(encoding)));
      assertThatThrownBy(() -> Tree.open(named, "", Tree.Limits.BY_HAND))
          .isInstanceOf(UserMistakeException.class)
          .hasMessageStartingWith(
              named + ":1: error: the file is not UTF-8 text (it begins as UTF-16 or UTF-32 does)");
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"\n", "\r\n", "\r"})
  void aCharacterThatYamlDoesNotAllow_isNamedWithItsLine(String lineEnd) throws Exception {
    Path file = folder.resolve("control.yaml");
    Files.writeString(
        file, String.join(lineEnd, "seed: 1", "", "# \uD83D\uDE00", "run_name: \u0007"));
    assertThat(thrown(file).problems())
        .singleElement()
        .isEqualTo(
            new Problem(
                file + ":4",
                "this is not YAML (the character U+0007 is not allowed)",
                "it was pasted there, or the file is no text at all"));
  }

  @Test
  void bytesThatAreNoText_areRefusedWithTheirLine() throws Exception {
    Files.write(file, "seed: 1\nrun_name: Größe\n".getBytes(StandardCharsets.ISO_8859_1));
    assertThat(thrown(file).problems())
        .containsExactly(
            new Problem(
                file + ":2",
                "the file is not UTF-8 text (byte 21 is not part of a letter)",
                "it was saved in another encoding, or is no text at all"));
    Files.write(file, new byte[] {'P', 'K', 3, 4, 0, 0, 0});
    assertThat(thrown(file).problems())
        .singleElement()
        .isEqualTo(
            new Problem(
                file + ":1",
                "this is not YAML (the character U+0003 is not allowed)",
                "it was pasted there, or the file is no text at all"));
    Files.write(file, new byte[(1 << 20) + 1]);
    assertThat(thrown(file).problems())
        .singleElement()
        .extracting(Problem::what)
        .isEqualTo("the file is larger than 1048576 bytes");
  }

  @Test
  void aWeightThatThePolicyDoesNotTake_isNamedWithItsLine() throws Exception {
    String dynamic = LEAST + "scheduler_name: dynamic\nscheduler:\n";
    assertThat(message(dynamic + "  urgency: -1\n"))
        .isEqualTo(
            "burst.yaml:5: error: scheduler.urgency (-1) must be at least 0 and at most 1000000000.\n"
                + "  Maybe you meant 1.");
    assertThat(message(dynamic + "  overdue: 0.5\n"))
        .isEqualTo("burst.yaml:5: error: scheduler.overdue is below urgency.\n  Maybe swap them.");
  }

  /** Whatever a file holds, a mistake is two lines that a person can read. */
  @Test
  void aLongValue_isShortened() throws Exception {
    String flood = "x".repeat(20_000);
    for (String line :
        List.of(
            "scheduler_name: " + flood,
            flood + ": 1",
            "run_name: \"" + flood + "\"",
            "seed: " + flood,
            "batch_sizes: [\"" + flood + "\"]",
            "kafka: {bootstrap_servers: \"" + flood + "\"}",
            "load: {rates: *" + flood + "}")) {
      assertThat(message(LEAST + line + "\n")).hasSizeBetween(40, 1_000);
    }
    assertThat(message(LEAST, "seed=" + flood)).hasSizeBetween(40, 1_000);
  }

  @Test
  void aMissingFile_isNamedWithItsNeighbour() throws Exception {
    Files.writeString(folder.resolve("quickstart.yaml"), LEAST);
    Path missing = folder.resolve("quikstart.yaml");
    assertThat(thrown(missing))
        .hasMessage(
            missing + ": error: the file does not exist.\n  Maybe you meant quickstart.yaml.");
    assertThat(thrown(folder.resolve("none/such.yaml")).problems())
        .singleElement()
        .extracting(Problem::maybe)
        .isEqualTo("the path is relative to another folder");
  }

  @Test
  void aFolder_isRefused_andSaysWhatIsInIt() throws Exception {
    Files.writeString(folder.resolve("quickstart.yaml"), LEAST);
    assertThat(thrown(folder))
        .hasMessage(
            folder
                + ": error: this is a folder, not a file.\n"
                + "  Maybe one of its files was meant. There are: quickstart.yaml.");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          lanes.num_lanes     | an override is written key=value
          =4                  | an override is written key=value
          lanes.num_lane=4    | the key lanes.num_lane is unknown
          lane.num_lanes=4    | the key lane is unknown
          seed.x=4            | seed has no keys of its own: it is set as a whole
          seed=               | seed has no value
          seed=1.5            | seed (1.5) must be a whole number
          batch_sizes=[1, 1]  | batch_sizes (1) stands in the list twice
          """)
  void aBadOverride_isNamedAsItWasWritten(String override, String what) throws Exception {
    assertThat(problems(LEAST + "seed: 1\n", override))
        .singleElement()
        .satisfies(
            problem -> {
              assertThat(problem.location()).isEqualTo("--set " + override);
              assertThat(problem.what()).isEqualTo(what);
            });
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          inputs: [ids]                                | workloads.inputs (ids) must be a list of mappings
          inputs: [{dtype: int8}]                      | workloads.inputs.dtype (int8) is unknown
          inputs: [{dtype: int64, range: [5, 1]}]      | workloads.inputs.range must be two numbers, the least and the greatest value
          inputs: [{dtype: int64, range: [0, 1.5]}]    | workloads.inputs.range must be whole numbers for int64
          inputs: [{dtype: uint8, range: [0, 256]}]    | workloads.inputs.range (256) must be at least 0 and at most 255
          inputs: [{}], input_shape: [3]               | a model of your own has both input_shape and inputs
          inputs: [{shape: [4000, 4000]}]              | workloads.inputs has more than 4000000 values per sample
          """)
  void anInputOfAModelThatIsWrong_isNamed(String keys, String what) throws Exception {
    assertThat(
            problems(
                LEAST
                    + "backends_enabled: [onnx]\n"
                    + "workloads: [{name: mine, path: a.onnx, tokens: 1, %s}]\n".formatted(keys)))
        .extracting(Problem::what)
        .contains(what);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          lanes: {num_lanes: 1_6}      | lanes.num_lanes (1_6) must be a whole number   | you meant 16
          seed: 0x1F                   | seed (0x1F) must be a whole number             | you meant 31
          seed: -0o17                  | seed (-0o17) must be a whole number            | you meant -15
          seed: 0b101                  | seed (0b101) must be a whole number            | you meant 5
          tail_seconds: 1_000.5        | tail_seconds (1_000.5) must be a number        | you meant 1000.5
          microbatch: {enabled: y}     | microbatch.enabled (y) must be true or false   | you meant true
          microbatch: {enabled: N}     | microbatch.enabled (N) must be true or false   | you meant false
          classes: {batch: {<<: 1}}    | << (1) must be a mapping, or a list of mappings | an alias of a mapping is meant, such as <<: *name
          """)
  void whatOtherYamlMeans_isNamed(String line, String what, String maybe) throws Exception {
    assertThat(problems(LEAST + line + "\n"))
        .singleElement()
        .satisfies(
            problem -> {
              assertThat(problem.what()).isEqualTo(what);
              assertThat(problem.toString()).contains("Maybe " + maybe);
            });
  }

  @Test
  void anOverrideThatIsNoYaml_isNamedAsItWasWritten() throws Exception {
    assertThat(problems(LEAST, "batch_sizes=[1"))
        .singleElement()
        .extracting(Problem::location)
        .isEqualTo("--set batch_sizes=[1");
  }

  /** The message, with the file's name alone. */
  private String message(String text, String... overrides) throws Exception {
    return problems(text, overrides).stream()
        .map(Problem::toString)
        .collect(Collectors.joining("\n"))
        .replace(folder + "/", "");
  }

  private List<Problem> problems(String text, String... overrides) throws Exception {
    Files.writeString(file, text);
    return thrown(file, overrides).problems();
  }

  private static UserMistakeException thrown(Path file, String... overrides) {
    return catchThrowableOfType(
        UserMistakeException.class,
        () -> ExperimentFile.read(file, List.of(overrides), Vocabularies.KNOWN));
  }
}
