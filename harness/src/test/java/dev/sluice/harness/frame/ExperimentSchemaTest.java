package dev.sluice.harness.frame;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.networknt.schema.InputFormat;
import com.networknt.schema.Schema;
import com.networknt.schema.SchemaRegistry;
import com.networknt.schema.SpecificationVersion;
import dev.sluice.contract.experiment.ExperimentFile;
import dev.sluice.contract.experiment.ExperimentSchema;
import dev.sluice.contract.experiment.ResolvedConfig;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.Yaml;
import org.yaml.snakeyaml.constructor.SafeConstructor;

/** The schema for editors: it says what the reader and the documents say, and accepts what runs. */
final class ExperimentSchemaTest {
  private static final Path ROOT = Path.of("..");
  private static final Path FILE = ROOT.resolve("docs/experiment.schema.json");
  private static final Path DOCUMENT = ROOT.resolve("docs/experiments.md");
  private static final String LEAST = "duration_seconds: 20\narrival_rate_jobs_per_sec: 10\n";
  private static final Pattern ENTRY = Pattern.compile("An entry of `([a-z.]+)`.*");
  private static final Pattern LINK = Pattern.compile("\\[([^]]*)]\\([^)]*\\)");

  @Test
  void theFile_isWhatTheReaderAsksFor() throws IOException {
    String made = made();
    if (Boolean.getBoolean("sluice.renew")) {
      Files.writeString(FILE, made);
    }
    assertThat(Files.exists(FILE) ? Files.readString(FILE) : "")
        .as(
            "docs/experiment.schema.json is out of date: write it again with"
                + " ./mvnw test -pl harness -am -Dtest=ExperimentSchemaTest"
                + " -DfailIfNoTests=false -Dsurefire.failIfNoSpecifiedTests=false -Dsluice.renew=true")
        .isEqualTo(made);
  }

  @Test
  void everyKey_isDescribedInTheDocument_andEveryDescribedKeyExists() throws IOException {
    Meanings meanings = meanings();
    Set<String> missing = new TreeSet<>();
    Set<String> used = new TreeSet<>();
    JsonNode schema =
        new ObjectMapper()
            .readTree(
                ExperimentSchema.text(
                    Registries.vocabulary(),
                    key -> {
                      Optional<String> meaning = meanings.of(key);
                      (meaning.isPresent() ? used : missing).add(Meanings.row(key));
                      return meaning;
                    }));
    assertThat(schema.path("required")).hasSize(1);
    assertThat(used).isEqualTo(meanings.byRow.keySet());
    assertThat(missing)
        .containsExactlyInAnyOrder(
            // mappings, whose keys are described, and what only a finished run's own copy has
            "arrivals.columns",
            "classes",
            "classes.batch",
            "classes.interactive",
            "kafka",
            "lanes",
            "load.diurnal",
            "microbatch",
            "microbatch.models",
            "predictor",
            "recorded",
            "resources",
            "scheduler",
            "simulation",
            "thresholds");
  }

  static List<Path> shippedExperiments() throws IOException {
    return ShippedExperiments.files();
  }

  @ParameterizedTest
  @MethodSource("shippedExperiments")
  void aShippedExperiment_isValid_alsoAsARunWritesItDown(Path file) throws Exception {
    assertThat(mistakes(Files.readString(file))).isEmpty();
    var experiment = ExperimentFile.read(file, List.of(), Registries.vocabulary()).experiment();
    assertThat(mistakes(ResolvedConfig.write(experiment))).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "arrivals: {process: gamma, cv: 2}",
        "arrivals: {process: mmpp, burst: 4, share: 0.1, mean_burst_seconds: 2}",
        "arrivals: {process: replay, file: x.gz, speed: 2, from: 1, to: 9, slo: config}",
        "arrivals: {process: replay, file: x, map: ['class:a=b'], drop: [class:c], salvage: yes}",
        "arrivals: {process: trace, file: x.csv, rate: 5, spread: true, columns: {samples: N}}",
        "arrivals: {process: trace, file: x, columns: {workload: {from: func, stripe: true}}}",
        "load: {diurnal: {period_seconds: 60, depth: 0.5}}",
        "load: {steps: [{at_seconds: 6, factor: 0}]}",
        "load: {rates: day.csv}",
        "scenario: offline",
        "workloads: [{synthetic: 64, alpha_ms: 5, beta_ms: 1, zipf: 1.1}, resnet18]",
        "classes: {gold: {slo_ms: 5, interactive: true}, batch: {priority: 0}}",
        "thresholds: {gold_p99_e2e_ms: '<= 1.5e3', all_p99_e2e_ms: '< 100'}",
        "thresholds: {all_p99_e2e_ms: {bound: '< 100', abort: true}}",
        "thresholds: {by_class_workload.batch.resnet18.slo_violation_rate: '< 0.01'}",
        "thresholds: {by_class_workload: {batch: {resnet18: {done: {bound: '> 5'}}}}}",
        "workloads: [vit, {name: mine, path: m.onnx, input_shape: [3, 3], tokens: 1}]",
        "lanes: {kind: emulated, drift: [{at_seconds: 6, factor: 2}], device: 'cuda:3'}",
        "scheduler: {urgency: 0}",
        "max_waiting: none",
        "max_waiting: 7",
        "run_name: 7",
        "recorded: {anything: [1]}"
      })
  void aValueInRange_isValid(String line) throws IOException {
    assertThat(mistakes(LEAST + line + "\n")).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "arrival: poisson",
        "arrivals: poison",
        "scenario: on",
        "arrivals: {process: poison}",
        "arrivals: {}",
        "arrivals: {process: poisson, cvs: 2}",
        "arrivals: {process: replay, file: x.gz, speed: 0}",
        "arrivals: {process: replay, file: x.gz, slo: mine}",
        "arrivals: {process: trace, file: x.csv, columns: {sample: N}}",
        "arrivals: {process: trace, file: x.csv, columns: {workload: {form: func}}}",
        "load: {diurnall: {period_seconds: 60, depth: 0.5}}",
        "load: {diurnal: {period_seconds: 60, depth: 2}}",
        "load: {steps: [{at_seconds: 6}]}",
        "lanes: {num_lane: 2}",
        "lanes: {drift: [{at_second: 6, at_seconds: 6, factor: 2}]}",
        "lanes: {drift: [{at_seconds: 6}]}",
        "lanes: {num_lanes: 0}",
        "lanes: {device: gpu}",
        "tail_seconds: -1",
        "tail_seconds: soon",
        "interactive_ratio: 1.2",
        "generators: 1.5",
        "expire_after_ms: 0",
        "max_waiting: many",
        "scheduler_name: fifoo",
        "microbatch: {policies: [fifi]}",
        "scheduler: {urgencies: 1}",
        "batch_sizes: []",
        "batch_sizes: [1, 1]",
        "workloads: [resnet81]",
        "workloads: [{synthetic: 0}]",
        "classes: {all: {slo_ms: 1}}",
        "classes: {gold: {slo: 1}}",
        "thresholds: {all_p98_e2e_ms: '< 5'}",
        "thresholds: {all_p99_e2e_ms: '5'}",
        "thresholds: {all_p99_e2e_ms: {abort: true}}",
        "thresholds: {all_p99_e2e_ms: {bound: '< 5', stop: true}}",
        "run_name: a b"
      })
  void aMistake_isRefused(String line) throws IOException {
    assertThat(mistakes(LEAST + line + "\n")).isNotEmpty();
  }

  @Test
  void aFileWithoutARequiredKey_isRefused() throws IOException {
    assertThat(mistakes("arrival_rate_jobs_per_sec: 10\n")).hasSize(1);
  }

  private static String made() throws IOException {
    return ExperimentSchema.text(Registries.vocabulary(), meanings()::of);
  }

  private static List<String> mistakes(String yaml) throws IOException {
    Object tree = new Yaml(new SafeConstructor(new LoaderOptions())).load(yaml);
    Schema schema =
        SchemaRegistry.withDefaultDialect(SpecificationVersion.DRAFT_2020_12)
            .getSchema(made(), InputFormat.JSON);
    return schema.validate(new ObjectMapper().valueToTree(tree)).stream()
        .map(mistake -> mistake.toString())
        .toList();
  }

  /** Column "means" of the tables in docs/experiments.md, by the key of the row. */
  private record Meanings(Map<String, String> byRow) {
    Optional<String> of(String key) {
      return Optional.ofNullable(byRow.get(row(key)));
    }

    /** The row that stands for a key. */
    static String row(String key) {
      return key.replaceFirst("^arrivals\\.columns\\.[a-z_]+", "arrivals.columns.ATTRIBUTE")
          .replaceFirst("^classes\\.[^.]+\\.", "classes.NAME.")
          .replaceFirst("^microbatch\\.models\\.[^.]+\\.", "microbatch.models.NAME.")
          .replaceFirst("^scheduler\\..+", "scheduler.WEIGHT")
          .replaceFirst("^thresholds\\..+", "thresholds.FIGURE");
    }
  }

  private static Meanings meanings() throws IOException {
    Map<String, String> byRow = new TreeMap<>();
    String prefix = "";
    int column = -1;
    for (String line : Files.readAllLines(DOCUMENT)) {
      if (!line.startsWith("|")) {
        Matcher entry = ENTRY.matcher(line);
        prefix = entry.matches() ? entry.group(1) + "." : line.isBlank() ? prefix : "";
        column = -1;
        continue;
      }
      List<String> cells =
          Stream.of(line.substring(1).split("(?<!\\\\)\\|")).map(String::strip).toList();
      if (cells.get(0).equals("key")) {
        column = cells.indexOf("means");
      } else if (column >= 0 && !cells.get(0).startsWith("---")) {
        for (String key : cells.get(0).split(", ")) {
          byRow.put(prefix + key, plain(cells.get(column)));
        }
      }
    }
    return new Meanings(byRow);
  }

  /** The text without Markdown's marks, as a sentence. */
  private static String plain(String cell) {
    String text = LINK.matcher(cell).replaceAll("$1").replace("`", "");
    String sentence = text.substring(0, 1).toUpperCase(Locale.ROOT) + text.substring(1);
    return sentence.endsWith(".") ? sentence : sentence + ".";
  }
}
