package dev.sluice.contract.fuzz;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.contract.codec.EventCodec;
import dev.sluice.contract.codec.UnreadableEventException;
import dev.sluice.contract.experiment.ArrivalKeys;
import dev.sluice.contract.experiment.Experiment;
import dev.sluice.contract.experiment.ExperimentFile;
import dev.sluice.contract.experiment.ResolvedConfig;
import dev.sluice.contract.experiment.Vocabulary;
import dev.sluice.contract.experiment.Vocabulary.PolicyWeights;
import dev.sluice.contract.file.CsvRows;
import dev.sluice.contract.file.Range;
import dev.sluice.contract.file.UserMistakeException;
import dev.sluice.contract.file.UserMistakeException.Problem;
import dev.sluice.contract.workflow.WorkflowFiles;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Inputs that are nearly right. Each is accepted, and comes back as it was read where Sluice writes
 * such files; or it is a mistake with its file. Nothing else happens, within 2 s of one processor
 * and 200 MB. {@code -Dsluice.tries=full} tries three hundred times as many; a number, that many of
 * each reader; {@code -Dsluice.fuzz.seed} begins elsewhere.
 */
final class ReadersFuzzTest {
  private static final long CPU_NS_MAX = 2_000_000_000;
  private static final long BYTES_MAX = 200_000_000;
  private static final int QUICK = 100;
  private static final long SEED = Long.getLong("sluice.fuzz.seed", 1);

  private static final Vocabulary KNOWN =
      new Vocabulary(
          Map.of(
              "fifo",
              PolicyWeights.NONE,
              "dynamic",
              PolicyWeights.of(new PolicyWeights.Weight("urgency", Range.within(0, 1e9), 1)),
              "batch_aware",
              PolicyWeights.NONE),
          Map.of(
              "poisson",
              ArrivalKeys.NONE,
              "gamma",
              ArrivalKeys.of(new ArrivalKeys.Key("cv", Range.within(0.05, 20), 2))),
          Map.of("resnet18", 80, "resnet50", 160, "vit", 260, "vit_tiny", 40),
          List.of("all_p99_e2e_ms", "all_slo_violation_rate"));

  private static final String SYSTEM =
      """
      {"models": {
        "small": {"name": "S", "memory_gb": 14, "gpus_required": 1, "load_time_seconds": 3e1},
        "large": {"memory_gb": 60, "gpus_required": 4, "load_time_seconds": 120}},
       "workflows": {
        "one": {"nodes": [{"id": "a", "model": "small"}]},
        "two": {"slo_ms": 90, "nodes": [{"id": "a", "model": "small"}, {"id": "b", "model": "large"}],
         "edges": [{"from": "a", "to": "b"}]}}}
      """;
  private static final String REQUESTS =
      """
      {"requests": [
       {"request_id": "r1", "timestamp": "2024-01-01T10:00:00", "workflow_id": "one"},
       {"request_id": "r2", "timestamp": "2024-01-01T10:01:00.5", "workflow_id": "two",
        "node_execution_times": {"a": 5.2, "b": 15}}]}
      """;

  @TempDir private Path folder;

  /** Reads one input; what it throws is what it has to say. */
  private interface Read {
    void accept(Path folder, byte[] input) throws Exception;
  }

  private record Reader(String name, List<String> examples, Read read) {
    @Override
    public String toString() {
      return name;
    }
  }

  static Stream<Reader> readers() throws IOException {
    Path configs = Path.of("..", "configs");
    String system = Files.readString(configs.resolve("workflows/system_config.yaml"));
    String requests = Files.readString(configs.resolve("workflows/workflow_requests.yaml"));
    return Stream.of(
        new Reader("experiments", experiments(configs), ReadersFuzzTest::experiment),
        new Reader(
            "systems of workflows, YAML",
            List.of(system),
            (in, input) -> workflows(in, "yaml", input, bytes(requests))),
        new Reader(
            "requests of workflows, YAML",
            List.of(requests),
            (in, input) -> workflows(in, "yaml", bytes(system), input)),
        new Reader(
            "systems of workflows, JSON",
            List.of(SYSTEM),
            (in, input) -> workflows(in, "json", input, bytes(REQUESTS))),
        new Reader(
            "requests of workflows, JSON",
            List.of(REQUESTS),
            (in, input) -> workflows(in, "json", bytes(SYSTEM), input)),
        new Reader(
            "tables",
            List.of(Files.readString(configs.resolve("latency/cpu-2core.csv"))),
            ReadersFuzzTest::table),
        events("facts", EventCodec.FACTS),
        events("dispatches", EventCodec.DISPATCHES),
        events("outcomes", EventCodec.OUTCOMES),
        events("runs", EventCodec.RUNS),
        events("metrics", EventCodec.METRICS),
        events("lanes", EventCodec.LANES));
  }

  @ParameterizedTest
  @MethodSource("readers")
  @Timeout(value = 30, unit = TimeUnit.MINUTES)
  void anInput_isAcceptedOrAMistake_andNothingElse(Reader reader) throws Exception {
    var threads = (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();
    Map<String, Integer> outcomes = new TreeMap<>();
    for (long i = 0; i < tries(); i++) {
      long seed = SEED + i;
      String example = reader.examples.get((int) (i % reader.examples.size()));
      byte[] input = new Mutations(seed).of(example);
      long cpuNs = threads.getCurrentThreadCpuTime();
      long bytes = threads.getCurrentThreadAllocatedBytes();
      try {
        reader.read.accept(folder, input);
        outcomes.merge("accepted", 1, Integer::sum);
      } catch (UserMistakeException e) {
        outcomes.merge("mistake", 1, Integer::sum);
        assertThat(e.problems()).as("seed %d", seed).isNotEmpty().allSatisfy(this::assertReadable);
      } catch (UnreadableEventException e) {
        outcomes.merge("mistake", 1, Integer::sum);
      } catch (Exception | StackOverflowError | OutOfMemoryError e) {
        throw new AssertionError(
            "%s, seed %d: %s"
                .formatted(reader, seed, new String(input, StandardCharsets.ISO_8859_1)),
            e);
      }
      assertThat(threads.getCurrentThreadCpuTime() - cpuNs)
          .as("processor time of %s, seed %d", reader, seed)
          .isLessThan(CPU_NS_MAX);
      assertThat(threads.getCurrentThreadAllocatedBytes() - bytes)
          .as("memory of %s, seed %d", reader, seed)
          .isLessThan(BYTES_MAX);
    }
    System.out.println("fuzz: " + reader + ", seeds from " + SEED + ": " + outcomes);
    assertThat(outcomes).as("kinds of outcomes").containsKey("mistake");
  }

  private static long tries() {
    String tries = System.getProperty("sluice.tries", "few");
    return tries.matches("\\d+")
        ? Long.parseLong(tries)
        : tries.equals("full") ? 300L * QUICK : QUICK;
  }

  private void assertReadable(Problem problem) {
    assertThat(problem.location()).startsWith(folder.toString());
    assertThat(problem.toString().chars().filter(c -> c != '\n').noneMatch(Character::isISOControl))
        .as(problem.toString())
        .isTrue();
    assertThat(problem.what()).hasSizeLessThan(1_000);
    if (!problem.location().matches("(?s).*:\\d+")) { // no line is to blame
      assertThat(problem.what())
          .containsAnyOf("missing", "empty", "holds no", "not listed", "has no");
    }
  }

  private static List<String> experiments(Path configs) throws IOException {
    try (Stream<Path> files = Files.list(configs)) {
      return files
          .filter(file -> file.toString().endsWith(".yaml"))
          .sorted()
          .map(ReadersFuzzTest::text)
          .toList();
    }
  }

  private static void experiment(Path folder, byte[] input) throws Exception {
    Path file = Files.write(folder.resolve("e.yaml"), input);
    Experiment read = ExperimentFile.read(file, List.of(), KNOWN).experiment();
    Path written = Files.writeString(folder.resolve("w.yaml"), ResolvedConfig.write(read));
    assertThat(ExperimentFile.read(written, List.of(), KNOWN).experiment()).isEqualTo(read);
  }

  private static void workflows(Path folder, String form, byte[] system, byte[] requests)
      throws Exception {
    WorkflowFiles files =
        WorkflowFiles.read(
            Files.write(folder.resolve("system." + form), system),
            Files.write(folder.resolve("requests." + form), requests),
            8,
            false);
    assertThat(files.requests()).allSatisfy(r -> assertThat(r.id()).isNotBlank());
    assertThat(files.requests()).extracting(r -> r.id()).doesNotHaveDuplicates();
  }

  private static void table(Path folder, byte[] input) throws Exception {
    CsvRows rows = CsvRows.read(Files.write(folder.resolve("t.csv"), input), "table");
    for (CsvRows.Row row : rows.rows()) {
      row.checkWidth("try");
      for (String column : rows.columns()) {
        if (column.equals("mean_ms") || column.equals("spread")) {
          row.fixed(column, 6, Range.within(0, 1e9), "try");
        } else if (column.equals("samples") || column.equals("busy_lanes")) {
          row.count(column, "try");
        } else {
          row.name(column);
        }
      }
    }
  }

  private static <E> Reader events(String name, EventCodec<E> codec) throws IOException {
    try (Stream<Path> files = Files.list(Path.of("src/test/resources/golden"))) {
      List<String> examples =
          files
              .sorted()
              .map(ReadersFuzzTest::text)
              .filter(text -> isReadable(codec, bytes(text)))
              .toList();
      return new Reader(
          name,
          examples,
          (folder, input) -> {
            byte[] written = codec.write(codec.read(input));
            assertThat(codec.write(codec.read(written))).isEqualTo(written);
          });
    }
  }

  private static boolean isReadable(EventCodec<?> codec, byte[] bytes) {
    try {
      codec.read(bytes);
      return true;
    } catch (UnreadableEventException e) {
      return false;
    }
  }

  private static String text(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException e) {
      throw new java.io.UncheckedIOException(e);
    }
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }
}
