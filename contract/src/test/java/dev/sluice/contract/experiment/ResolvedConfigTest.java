package dev.sluice.contract.experiment;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.contract.experiment.Experiment.JobClass;
import dev.sluice.contract.experiment.Experiment.KafkaSettings;
import dev.sluice.contract.experiment.Experiment.Lanes;
import dev.sluice.contract.experiment.Experiment.Limits;
import dev.sluice.contract.experiment.Experiment.LinearServiceTime;
import dev.sluice.contract.experiment.Experiment.Microbatch;
import dev.sluice.contract.experiment.Experiment.ModelFile;
import dev.sluice.contract.experiment.Experiment.Predictor;
import dev.sluice.contract.experiment.Experiment.Resources;
import dev.sluice.contract.experiment.Experiment.Scenario;
import dev.sluice.contract.experiment.Experiment.Threshold;
import dev.sluice.contract.experiment.Experiment.WorkloadChoice;
import dev.sluice.contract.experiment.LoadShape.Step;
import dev.sluice.contract.experiment.ModelInput.Dtype;
import dev.sluice.contract.file.UserMistakeException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Random;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The resolved config: readable again, and stable. */
final class ResolvedConfigTest {
  @Property(tries = 300)
  void whatIsWritten_isReadAsAnEqualExperiment(@ForAll("experiments") Experiment experiment)
      throws Exception {
    assertReadBack(experiment);
  }

  private static void assertReadBack(Experiment experiment) throws Exception {
    Path file = Files.createTempFile("resolved", ".yaml");
    try {
      Files.writeString(file, ResolvedConfig.write(experiment));
      Experiment read = ExperimentFile.read(file, List.of(), Vocabularies.KNOWN).experiment();
      assertThat(read).isEqualTo(experiment);
      assertThat(ResolvedConfig.digest(read)).isEqualTo(ResolvedConfig.digest(experiment));
    } finally {
      Files.delete(file);
    }
  }

  @ParameterizedTest
  @CsvSource({
    "64MB, 49", // 260 × 64,000,000 / 346,270,624, rounded up
    "64000000, 49",
    "173135312, 130",
    "173135313, 131",
    "1GB, 260"
  })
  void aMemoryBudget_takesItsShareOfTheTokens_andIsReadBack(String budget, int tokens)
      throws Exception {
    Path file = Files.createTempFile("budget", ".yaml");
    try {
      Files.writeString(
          file,
          """
          duration_seconds: 5
          arrival_rate_jobs_per_sec: 1
          workloads: [{name: vit, memory_budget: %s}, resnet18]
          """
              .formatted(budget));
      Experiment experiment = ExperimentFile.read(file, List.of(), Vocabularies.KNOWN).experiment();
      assertThat(experiment.workload("vit").tokens()).isEqualTo(tokens);
      assertThat(experiment.workload("resnet18").memoryBudget()).isNull();
      assertReadBack(experiment);
    } finally {
      Files.delete(file);
    }
  }

  @Test
  void theText_hasEveryKeyInItsOrder() throws Exception {
    Experiment quickstart =
        ExperimentFile.read(
                Path.of("src/test/resources/seed/fifo_baseline.yaml"),
                List.of("thresholds.all_p99_e2e_ms=< 100"),
                Vocabularies.KNOWN)
            .experiment();
    assertThat(ResolvedConfig.write(quickstart))
        .isEqualTo(
            """
            run_name: fifo_baseline
            seed: 42
            duration_seconds: 60
            warmup_seconds: 0
            tail_seconds: 30
            arrival_rate_jobs_per_sec: 10
            arrivals: poisson
            generators: 1
            interactive_ratio: 0.3
            classes:
              interactive: {slo_ms: 100, priority: 1, interactive: true, microbatch: false}
              batch: {slo_ms: 1000, priority: 5, interactive: false, microbatch: true}
            workloads:
              - {name: resnet18, weight: 1, tokens: 80}
              - {name: resnet50, weight: 1, tokens: 160}
              - {name: vit, weight: 1, tokens: 260}
            backends_enabled: [pytorch]
            precision_modes: [fp32]
            allow_slow_precision: false
            batch_sizes: [1, 8, 32]
            scheduler_name: fifo
            scheduler: {}
            admission: none
            max_waiting: none
            expire_after_ms: none
            microbatch:
              enabled: false
              window_ms: 10
              max_batch: 128
              policies: [batch_aware, dynamic]
              respect_deadlines: false
            resources:
              enabled: true
              total_tokens: 1000
              cpu_fallback: false
            lanes:
              enabled: true
              num_lanes: 2
              threads: 1
              device: auto
              kind: real
              heartbeat_ms: 200
              ahead: 0
              lease_ms: 2000
              max_attempts: 3
              speed: 1
            predictor:
              enabled: false
              model_path: models/latency
              quantile: 0.95
              retrain_seconds: 60
            kafka:
              bootstrap_servers: embedded
              shards: 1
            thresholds:
              all_p99_e2e_ms: "< 100"
            """);
    assertThat(ResolvedConfig.digest(quickstart)).matches("[0-9a-f]{64}");
  }

  @Test
  void theDigest_changesWithEachKey() throws Exception {
    Path file = Path.of("src/test/resources/seed/fifo_baseline.yaml");
    var digests =
        List.of("seed=42", "seed=43", "tail_seconds=31", "lanes.threads=2", "batch_sizes=[1, 8]")
            .stream()
            .map(
                override -> {
                  try {
                    return ResolvedConfig.digest(
                        ExperimentFile.read(file, List.of(override), Vocabularies.KNOWN)
                            .experiment());
                  } catch (UserMistakeException e) {
                    throw new AssertionError(e);
                  }
                });
    assertThat(digests).doesNotHaveDuplicates().hasSize(5);
  }

  @Provide
  Arbitrary<Experiment> experiments() {
    return Arbitraries.randomValue(ResolvedConfigTest::experiment);
  }

  private static Experiment experiment(Random random) {
    boolean emulated = random.nextBoolean();
    boolean table = emulated && random.nextBoolean();
    boolean own = !emulated && random.nextBoolean();
    boolean memory = emulated && random.nextBoolean();
    boolean scaled = table || (emulated && random.nextBoolean());
    double durationSeconds = 1 + random.nextDouble() * 1000;
    return new Experiment(
        pick(random, "run", "true", "a-b_c.9", "0"),
        random.nextLong(),
        new Experiment.Load(
            durationSeconds,
            durationSeconds * random.nextDouble() * 0.99,
            random.nextInt(100),
            Math.min(1e4, Math.exp(random.nextGaussian() * 3)),
            pick(
                random,
                Arrivals.POISSON,
                Arrivals.drawn("constant"),
                new Arrivals.Drawn("gamma", Map.of("cv", 0.1 + random.nextDouble()))),
            pick(
                random,
                LoadShape.even(),
                new LoadShape.Diurnal(0.1 + random.nextInt(100), random.nextDouble()),
                new LoadShape.Rates("rates/a b.csv"),
                new LoadShape.Steps(
                    List.of(
                        new Step(random.nextInt(9), 3 * random.nextDouble(), 2.5),
                        new Step(20, 0, random.nextInt(9))))),
            Scenario.SERVER,
            1 + random.nextInt(9),
            null),
        new Experiment.Jobs(
            random.nextDouble(),
            classes(random, scaled),
            List.of(
                new WorkloadChoice(
                    "vit",
                    Math.exp(random.nextGaussian()),
                    random.nextInt(500),
                    null,
                    emulated && !table
                        ? new LinearServiceTime(
                            0.001 + random.nextDouble() * 1e-6,
                            random.nextInt(9),
                            memory ? random.nextDouble() : null,
                            memory ? 1 + random.nextDouble() : null)
                        : null),
                own
                    ? new WorkloadChoice(
                        pick(random, "mine", "größe.2", "no", "7"),
                        1,
                        1 + random.nextInt(99),
                        new ModelFile(
                            pick(random, "m.onnx", "/a b/\"q\"\\#: 'x'.onnx", "ö/ü.onnx"),
                            "onnx",
                            pick(
                                random,
                                List.of(ModelInput.of(List.of(3, 3, 1 + random.nextInt(9)))),
                                List.of(
                                    new ModelInput(
                                        "ids", List.of(16), Dtype.INT64, List.of(0.0, 99.0)),
                                    new ModelInput("x: y", List.of(), Dtype.FLOAT16, List.of())))),
                        null)
                    : new WorkloadChoice(
                        "resnet18",
                        2,
                        80,
                        null,
                        emulated
                            ? new LinearServiceTime(
                                1 + random.nextInt(9), 0, memory ? 2.5 : null, memory ? 9.0 : null)
                            : null)),
            own ? List.of("onnx") : List.of("onnx", "pytorch"),
            own || random.nextBoolean() ? List.of("fp32") : List.of("bf16", "fp16"),
            random.nextBoolean(),
            List.of(1 + random.nextInt(5), 10 + random.nextInt(5))),
        new Experiment.Scheduling(
            "dynamic",
            random.nextBoolean() ? Map.of() : Map.of("urgency", random.nextDouble() * 1e-5),
            pick(random, "none", "expired", "hopeless"),
            random.nextBoolean() ? null : 1 + random.nextInt(1000),
            random.nextBoolean() ? null : Math.max(1e-6, Math.exp(random.nextGaussian() * 3)),
            new Microbatch(
                random.nextBoolean(),
                random.nextInt(50),
                1 + random.nextInt(200),
                List.of("random", "fifo"),
                random.nextBoolean(),
                random.nextBoolean()
                    ? Map.of()
                    : Map.of(
                        "vit",
                        new Limits(5 + random.nextInt(9), pick(random, List.of(), List.of(2, 4))))),
            List.of()),
        new Resources(random.nextBoolean(), 1000 + random.nextInt(1000), random.nextBoolean()),
        new Lanes(
            random.nextBoolean(),
            1 + random.nextInt(64),
            1 + random.nextInt(4),
            pick(random, "auto", "cpu", "cuda", "cuda:3"),
            emulated ? "emulated" : "real",
            table ? pick(random, "latency/a.csv", "no", "a, b]") : null,
            10 + random.nextInt(500),
            memory ? 0 : random.nextInt(2),
            1020 + random.nextInt(5000),
            1 + random.nextInt(9),
            emulated ? 0.5 + random.nextInt(4) : 1,
            emulated && random.nextBoolean()
                ? List.of(new Step(1.5, 2, 0), new Step(9, 0.25, random.nextInt(5)))
                : List.of(),
            memory ? 9 + random.nextDouble() : null),
        new Predictor(
            random.nextBoolean(), pick(random, "models/latency", "# m", "a: b"), 0.5, 7.5),
        new KafkaSettings(
            pick(random, "embedded", "localhost:9092", "a:1,b:2"), 1 + random.nextInt(64)),
        random.nextBoolean()
            ? Map.of()
            : Map.of(
                "overall_throughput_sps",
                new Threshold(
                    pick(random, "<", "<=", ">", ">="),
                    random.nextGaussian() * 1e9,
                    random.nextBoolean())),
        new Experiment.Simulation(null, null, null));
  }

  private static List<JobClass> classes(Random random, boolean scaled) {
    var fast =
        new JobClass(
            "interactive",
            0.001 + random.nextDouble(),
            random.nextInt(9),
            true,
            random.nextBoolean());
    var slow =
        scaled
            ? new JobClass("batch", null, 0.5 + random.nextInt(9), 0, false, random.nextBoolean())
            : new JobClass("batch", random.nextInt(9) + 1, 0, false, random.nextBoolean());
    var third = new JobClass("größe", 7, 7, random.nextBoolean(), random.nextBoolean());
    return random.nextBoolean() ? List.of(fast, slow) : List.of(third, slow, fast);
  }

  @SafeVarargs
  private static <T> T pick(Random random, T... choices) {
    return choices[random.nextInt(choices.length)];
  }
}
